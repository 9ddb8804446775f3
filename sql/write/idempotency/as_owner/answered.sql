-- The request that gets the lock is the one that runs, until the transaction ends: then its rows and its answer are
-- there together, or neither is. No request waits or takes over, and a crash leaves nothing to clean up.
create or replace function service_private.answered(request jsonb) returns json
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  asking constant text := service.uid();
  found service.idempotency_keys;
begin
  if not request ? 'key' or asking is not distinct from 'anonymous' then
    return null;
  elsif not pg_try_advisory_xact_lock(hashtextextended(asking || E'\n' || (request ->> 'key'), 0)) then
    perform service.fail(409, 'IDEMPOTENCY_KEY_IN_PROGRESS', 'A request with this Idempotency-Key is under way.',
      jsonb_build_object('key', request -> 'key'));
  end if;
  select k.* into found
  from service.idempotency_keys k
  where k.caller = asking and k.key = request ->> 'key' and k.answered_at > now() - interval '24 hours';
  if found.request_hash <> service_private.request_hash(request) then
    perform service.fail(422, 'IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to another request.',
      jsonb_build_object('key', request -> 'key'));
  elsif found.request_hash is not null then
    perform set_config('rowgate.replayed', 'on', true);
    return json_build_object('answer', found.answer);
  end if;
  return null;
end $$;

comment on function service_private.answered(jsonb) is
  '{"answer"} of a request (of service_private.write) with an idempotency key that its caller has sent before, in the last 24 hours; null '
  'when it is to be run, by no other request until the transaction ends. The setting rowgate.replayed is on after an answer. Without a '
  'sign-in a key is ignored. GW409 IDEMPOTENCY_KEY_IN_PROGRESS, GW422 IDEMPOTENCY_KEY_REUSED {key}.';

grant execute on function service_private.answered(jsonb) to service_user;
