create or replace function service_private.kept_answer(shape jsonb, answer text default null) returns text
  language sql immutable parallel safe
  return case when shape ? 'key' then format('service_private.keep_answer($6::jsonb, %s::json)', coalesce(answer, 'null'))
    else coalesce(answer, '''''') end;

comment on function service_private.kept_answer(jsonb, text) is
  'SQL text of an answer (SQL text; null: without a body), which is kept when the request has an idempotency key.';
