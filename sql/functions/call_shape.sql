create or replace function service_private.call_shape(name text, arguments json, request json, out shape jsonb, out parameters text[])
  language plpgsql stable as $$
declare
  endpoint record := service_private.called_endpoint(jsonb_build_object('call', jsonb_build_object('function', name)));
  returned jsonb := endpoint.document -> 'returns';
  hoisted record;
  sent jsonb;
  is_apart boolean := returned ? 'collection' and endpoint.document ->> 'volatility' = 'volatile';
begin
  if returned ->> 'kind' in ('value', 'void') then
    shape := jsonb_build_object('op', 'value', 'path', jsonb_build_array('functions/' || name));
    parameters := '{}';
  else
    hoisted := service_private.hoist(service_private.with_route(case returned ->> 'kind' when 'set' then 'list' else 'get' end,
      array[coalesce(returned ->> 'collection', 'functions/' || name)], request));
    shape := hoisted.shape;
    parameters := hoisted.parameters;
  end if;
  sent := case when endpoint.document ? 'body' then case when arguments is null then '[]' else '[""]' end::jsonb
    else (select coalesce(jsonb_agg(distinct k), '[]') from json_object_keys(arguments) k) end;
  shape := shape || jsonb_build_object('call', jsonb_build_object('function', name, 'sent', sent, 'body', 6 + cardinality(parameters))
    || case when is_apart then jsonb_build_object('rows', 6 + cardinality(parameters)) else '{}' end);
  if not is_apart and sent <> '[]' then
    parameters := parameters || arguments::text;
  end if;
end $$;

comment on function service_private.call_shape(text, json, json) is
  'The shape of a call, and the values of $6 onwards: those of the request (service_private.hoist), then the arguments. GW404 '
  'FUNCTION_NOT_FOUND, and the errors of service_private.hoist.';
