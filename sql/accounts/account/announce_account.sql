create or replace function service_private.announce_account() returns trigger
  language plpgsql volatile as $$
begin
  perform pg_notify('service_accounts', old.uid::text);
  return null;
end $$;

comment on function service_private.announce_account() is
  'Trigger: notifies gateways that the cached state of an account is outdated, after any change of it. The payload is its uid.';
