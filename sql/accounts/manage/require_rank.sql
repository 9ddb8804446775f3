-- The account is locked until the change is done, so that it gets no role meanwhile.
create or replace function service_private.require_rank(uid text, given text[], rank jsonb) returns void
  language plpgsql volatile as $$
declare
  held constant text[] := (select u.roles from service.users u where u.uid = require_rank.uid for update);
  beyond text[] := service_private.beyond_rank(held, rank);
begin
  if beyond <> '{}' then
    perform service.fail(403, 'ACCOUNT_OUTRANKS_CALLER', 'This account may do more than you may.', jsonb_build_object('beyond', beyond));
  end if;
  beyond := service_private.beyond_rank(given, rank);
  if beyond <> '{}' then
    perform service.fail(403, 'ROLE_EXCEEDS_CALLER', 'These roles may do more than you may.', jsonb_build_object('beyond', beyond));
  end if;
end $$;

comment on function service_private.require_rank(text, text[], jsonb) is
  'Refuses to change an account, or to give it roles, beyond the rank of the manager (service_private.beyond_rank). GW403 '
  'ACCOUNT_OUTRANKS_CALLER, ROLE_EXCEEDS_CALLER, {beyond}.';
