create or replace function service.remove_many(collection text, ids jsonb, claims jsonb default service_private.service_claims(),
  hard boolean default false) returns json
  language sql volatile
begin atomic
  select service_private.change(jsonb_build_object('op', 'delete', 'bulk', true, 'path', jsonb_build_array(collection),
    'body', jsonb_build_object('ids', ids)) || case when hard then '{"hard": true}'::jsonb else '{}' end, claims);
end;

comment on function service.remove_many(text, jsonb, jsonb, boolean) is
  'The answer of POST /data/<collection>/bulk/delete with these ids, as JSON. claims: the caller, by default the service key. hard: as '
  '?hard=true. Errors as service.create_many.';

-- Example: select service.remove_many('reviews', '[1, 2]');
