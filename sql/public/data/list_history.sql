create or replace function service.list_history(collection text, id text, request json default '{}',
  claims jsonb default service_private.service_claims()) returns json
  language sql volatile
  return (select r::json from service_private.run(service_private.with_route('history', array[collection, id], request), claims) r);

comment on function service.list_history(text, text, json, jsonb) is
  'The answer of GET /data/<collection>/<id>/history, as JSON; null where the API says 404. request: {limit, offset}. claims: the '
  'caller, by default the service key.';

-- Example: select service.list_history('tags', '1');
