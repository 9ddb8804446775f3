create or replace function service.list(collection text, request json default '{}', claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return (select r::json from service_private.run(service_private.with_route('list', array[collection], request), claims) r);

comment on function service.list(text, json, jsonb) is
  'The answer of GET /data/<collection>, as JSON. request: {where, logical, orderBy, limit, offset, after, fields, include, '
  'count}, see service_private.hoist. claims: the caller, by default the service key.';

-- Example: select service.list('products', '{"where": {"origin": ["==", "JP"]}, "orderBy": [{"field": "price"}], "limit": 3}');
