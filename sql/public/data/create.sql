create or replace function service.create(collection text, body jsonb default '{}', claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return service_private.change(jsonb_build_object('op', 'create', 'path', jsonb_build_array(collection), 'body', body), claims);

comment on function service.create(text, jsonb, jsonb) is
  'The answer of POST /data/<collection> with this body, as JSON: the new row. claims: the caller, by default the service key. '
  'Errors as service_private.write.';

-- Example: select service.create('tags', '{"name": "spring"}');
