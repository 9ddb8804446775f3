-- What refuses stays what it is; which of the writes it was goes along: in the details of an error of ours, else in the hint, with the
-- context that a second error would lose.
create or replace function service.fail_at(index integer, error jsonb) returns void
  language plpgsql stable as $$
declare
  is_ours constant boolean := error ->> 'state' ~ '^GW\d';
begin
  raise exception using
    errcode = error ->> 'state',
    message = error ->> 'message',
    detail = case when is_ours
      then (coalesce(nullif(error ->> 'detail', '')::jsonb, '{}') || jsonb_build_object('index', index))::text
      else error ->> 'detail' end,
    hint = case when is_ours then error ->> 'hint'
      else jsonb_build_object('index', index, 'where', error -> 'context')::text end,
    column = error ->> 'column', constraint = error ->> 'constraint', datatype = error ->> 'type',
    table = error ->> 'table', schema = error ->> 'schema';
end $$;

comment on function service.fail_at(integer, jsonb) is
  'Raises an error again {state, message, detail, hint, context, column, constraint, type, table, schema} as that of one write among '
  'many: details of ours get its index; of another error the hint is {index, where}.';

revoke all on function service.fail_at(integer, jsonb) from public;
grant execute on function service.fail_at(integer, jsonb) to service_user;
