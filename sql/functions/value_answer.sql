-- OFFSET 0: the value may stand several times in its JSON, and is worked out once.
create or replace function service_private.value_answer(shape jsonb) returns text
  language plpgsql stable as $$
declare
  endpoint record := service_private.called_endpoint(shape);
  returned jsonb := endpoint.document -> 'returns';
begin
  return service_private.fill($sql$
      select <body> as body
      from (
        select <call> as v
        where ctx.ok
        offset 0
      ) v
    $sql$,
    'body', case returned ->> 'kind' when 'void' then 'v.v::text'
      else format('coalesce(to_json(%s)::text, ''null'')', service_private.column_value('v.v', returned ->> 'sqlType')) end,
    'call', service_private.function_call(shape));
end $$;

comment on function service_private.value_answer(jsonb) is
  'SQL text of the answer to a call that returns a value or nothing, behind the gate (service.compile): body is the value as JSON.';
