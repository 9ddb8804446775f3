create or replace function service.update(collection text, id text, body jsonb default '{}',
  claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return service_private.change(jsonb_build_object('op', 'update', 'path', jsonb_build_array(collection, id), 'body', body), claims);

comment on function service.update(text, text, jsonb, jsonb) is
  'The answer of PATCH /data/<collection>/<id> with this body, as JSON: the row after it. claims: the caller, by default the '
  'service key. Errors as service_private.write.';

-- Example: select service.update('products', '1', '{"price": 9.5}');
