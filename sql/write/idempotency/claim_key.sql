-- For a statement that only ever says yes: what it leaves undone service.write does, or says why not.
create or replace function service.claim_key(request jsonb) returns boolean
  language plpgsql volatile as $$
begin
  return service.answered(request) is null;
exception when sqlstate 'GW409' or sqlstate 'GW422' then
  return false;
end $$;

comment on function service.claim_key(jsonb) is
  'Whether a request with an idempotency key is to be done, and then by nobody else until the transaction ends; false where '
  'service.answered has an answer, or refuses it.';

revoke all on function service.claim_key(jsonb) from public;
grant execute on function service.claim_key(jsonb) to service_user;
