create or replace function service.create_related(collection text, id text, relation text, body jsonb default '{}',
  claims jsonb default service_private.service_claims()) returns json
  language sql volatile
  return service_private.change(jsonb_build_object('op', 'create', 'path', jsonb_build_array(collection, id, relation), 'body', body),
    claims);

comment on function service.create_related(text, text, text, jsonb, jsonb) is
  'The answer of POST /data/<collection>/<id>/<relation> with this body, as JSON: the new row, which is linked with that one. claims: the '
  'caller, by default the service key. Errors as service_private.write.';

-- Example: select service.create_related('products', '1', 'tags', '{"name": "mossy"}');
