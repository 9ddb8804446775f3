-- Each clears away some that are past their time, so that no more are left than are made.
create or replace function service_private.keep_answer(request jsonb, answer json) returns json
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  asking constant text := service.uid();
begin
  if asking is not distinct from 'anonymous' then
    return answer;
  end if;
  insert into service.idempotency_keys as k (caller, key, request_hash, answer)
  values (asking, request ->> 'key', service_private.request_hash(request), answer)
  on conflict (caller, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer, answered_at = excluded.answered_at;
  delete from service.idempotency_keys k
  where (k.caller, k.key) in (
    select o.caller, o.key
    from service.idempotency_keys o
    where o.answered_at < now() - interval '24 hours'
    order by o.answered_at
    limit 2
    for update skip locked);
  return answer;
end $$;

comment on function service_private.keep_answer(jsonb, json) is
  'The answer, which is kept for 24 hours of a request with an idempotency key (service_private.answered).';

grant execute on function service_private.keep_answer(jsonb, json) to service_user;
