-- For a statement that only ever says yes: what it leaves undone service_private.write does, or says why not.
create or replace function service_private.claim_key(request jsonb) returns boolean
  language plpgsql volatile as $$
begin
  return service_private.answered(request) is null;
exception when sqlstate 'GW409' or sqlstate 'GW422' then
  return false;
end $$;

comment on function service_private.claim_key(jsonb) is
  'Whether a request with an idempotency key is to be run, and then by no other request until the transaction ends; false where '
  'service_private.answered has an answer, or refuses it.';

grant execute on function service_private.claim_key(jsonb) to service_user;
