create or replace function service_private.with_endpoint(shape jsonb) returns jsonb
  language plpgsql stable as $$
declare
  endpoint record := service_private.called_endpoint(shape);
begin
  return jsonb_set(shape, '{call}', shape -> 'call' || jsonb_build_object('oid', endpoint.oid, 'document', endpoint.document));
end $$;

comment on function service_private.with_endpoint(jsonb) is
  'A shape with the function that it calls, for service_private.called_endpoint. GW404 FUNCTION_NOT_FOUND.';
