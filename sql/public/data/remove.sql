create or replace function service.remove(collection text, id text, claims jsonb default service_private.service_claims(),
  hard boolean default false) returns void
  language sql volatile
begin atomic
  select service_private.change(jsonb_build_object('op', 'delete', 'path', jsonb_build_array(collection, id))
    || case when hard then '{"hard": true}'::jsonb else '{}' end, claims);
end;

comment on function service.remove(text, text, jsonb, boolean) is
  'Does what DELETE /data/<collection>/<id> does. claims: the caller, by default the service key. hard: as ?hard=true. Errors as '
  'service_private.write.';

-- Example: select service.remove('reviews', '1');
