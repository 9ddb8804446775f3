create or replace function service.aggregate(collection text, request json default '{}',
  claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return (select r::json from service_private.run(service_private.with_route('aggregate', array[collection], request), claims) r);

comment on function service.aggregate(text, json, jsonb) is
  'The answer of GET /data/<collection>/aggregate, as JSON. request: {select: [{fn, field}], groupBy, where, logical, search, orderBy, '
  'limit, offset}, see service_private.hoist. claims: the caller, by default the service key.';

-- Example: select service.aggregate('products', '{"select": [{"fn": "count"}], "groupBy": ["origin"], "limit": 2}');
