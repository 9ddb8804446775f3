create or replace function service.count(collection text, request json default '{}', claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return (select r::json from service_private.run(service_private.with_route('count', array[collection], request), claims) r);

comment on function service.count(text, json, jsonb) is
  'The answer of GET /data/<collection>/count, as JSON. request: {where, logical, search, distinct, fields}, see service_private.hoist. '
  'claims: the caller, by default the service key.';

-- Example: select service.count('orders', '{"where": {"status": ["==", "delivered"]}}');
