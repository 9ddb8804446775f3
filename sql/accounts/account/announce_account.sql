create or replace function service_private.announce_account() returns trigger
  language plpgsql volatile as $$
begin
  perform pg_notify('service_accounts', old.uid::text);
  return null;
end $$;

comment on function service_private.announce_account() is
  'Trigger: tells the gateways that what they know of an account is no longer so, whoever changed it. The payload is its uid.';
