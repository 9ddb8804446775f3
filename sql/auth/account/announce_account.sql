create or replace function service.announce_account() returns trigger
  language plpgsql volatile as $$
begin
  perform pg_notify('service_accounts', old.uid::text);
  return null;
end $$;

comment on function service.announce_account() is
  'Trigger: tells the gateways that what they know of an account is no longer so, whoever changed it. The payload is its uid.';

revoke all on function service.announce_account() from public;
