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

revoke all on function service.fail(integer, text, text, jsonb) from public;
grant execute on function service.fail(integer, text, text, jsonb) to service_user;
