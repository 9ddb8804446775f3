create or replace function service.revert(collection text, id text, entry uuid, claims jsonb default service.service_claims())
  returns json
  language sql volatile
  return service.change(jsonb_build_object('path', jsonb_build_array(collection, id), 'entry', entry), claims);

comment on function service.revert(text, text, uuid, jsonb) is
  'The answer of POST /data/<collection>/<id>/history/<entry>/revert, as JSON: the row after it, and the entry. claims: the caller, '
  'by default the service key. Errors as service.revert_row.';

revoke all on function service.revert(text, text, uuid, jsonb) from public;
