create or replace function service.fail(status integer, code text, message text, details jsonb default null) returns text
  language plpgsql volatile parallel safe as $$
begin
  raise exception using
    errcode = 'GW' || status,
    message = message,
    detail = coalesce(details::text, ''),
    hint = code;
end $$;

comment on function service.fail(integer, text, text, jsonb) is
  'Refuses a request: SQLSTATE GW<status>, the human message, details (JSON object) as DETAIL and the error code as HINT. Never '
  'returns; declared text so that it can stand in an expression.';

grant execute on function service.fail(integer, text, text, jsonb) to service_user;

-- Example: do $$ begin perform service.fail(409, 'CONFLICT', 'Sold out.'); exception when sqlstate 'GW409' then null; end $$;
