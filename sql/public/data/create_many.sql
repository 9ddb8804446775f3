create or replace function service.create_many(collection text, rows jsonb, claims jsonb default service_private.service_claims(),
  on_conflict jsonb default null) returns json
  language sql volatile
begin atomic
  select service_private.change(jsonb_build_object('op', 'create', 'bulk', true, 'path', jsonb_build_array(collection), 'body',
    jsonb_build_object('rows', rows) || case when on_conflict is not null
      then jsonb_build_object('upsert', true, 'onConflict', on_conflict) else '{}' end), claims);
end;

comment on function service.create_many(text, jsonb, jsonb, jsonb) is
  'The answer of POST /data/<collection>/bulk with these rows, as JSON. on_conflict: the names of an upsert''s target, [] for the key. '
  'claims: the caller, by default the service key. Errors as service_private.write; the context of one has /* write n */.';

-- Example: select service.create_many('tags', '[{"name": "summer"}, {"name": "autumn"}]');
