create or replace function service.revert(collection text, id text, entry uuid, claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
  return service_private.change(jsonb_build_object('path', jsonb_build_array(collection, id), 'entry', entry), claims);

comment on function service.revert(text, text, uuid, jsonb) is
  'The answer of POST /data/<collection>/<id>/history/<entry>/revert, as JSON: the row after it, and the entry. claims: the caller, '
  'by default the service key. Errors as service_private.revert_row.';

-- Example: select service.revert('tags', '1', h.id) from service.history h where h.collection = 'tags' and h.action = 'update';
