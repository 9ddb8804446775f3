create or replace function service.get(collection text, id text, request json default '{}',
  claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return (select r::json from service_private.run(service_private.with_route('get', array[collection, id], request), claims) r);

comment on function service.get(text, text, json, jsonb) is
  'The answer of GET /data/<collection>/<id>, as JSON; null where the API says 404. Its ETag is service_private.row_tag, the second column '
  'of the statement. request: {fields, include, where, logical}, see service_private.hoist. claims: the caller, by default the service '
  'key.';

-- Example: select service.get('products', '1', '{"fields": ["name", "price"]}');
