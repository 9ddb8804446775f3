create or replace function service.remove(collection text, id text, claims jsonb default service.service_claims()) returns void
  language sql volatile
begin atomic
  select service.change(jsonb_build_object('op', 'delete', 'path', jsonb_build_array(collection, id)), claims);
end;

comment on function service.remove(text, text, jsonb) is
  'What DELETE /data/<collection>/<id> does. claims: the caller, by default the service key. Errors as service.write.';

revoke all on function service.remove(text, text, jsonb) from public;
