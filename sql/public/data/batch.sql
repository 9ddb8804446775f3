create or replace function service.batch(operations jsonb, claims jsonb default service_private.service_claims()) returns json
  language sql volatile
  return service_private.change(jsonb_build_object('op', 'batch', 'body', jsonb_build_object('operations', operations)), claims);

comment on function service.batch(jsonb, jsonb) is
  'The answer of POST /data/_batch with these operations, as JSON. claims: the caller, by default the service key. Errors as '
  'service.create_many.';

-- Example: select service.batch('[{"op": "create", "collection": "tags", "values": {"name": "rain"}, "ref": "tag"}]');
