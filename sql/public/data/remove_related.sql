create or replace function service.remove_related(collection text, id text, relation text, related_id text,
  claims jsonb default service_private.service_claims(), hard boolean default false) returns void
  language sql volatile
begin atomic
  select service_private.change(jsonb_build_object('op', 'delete', 'path', jsonb_build_array(collection, id, relation, related_id))
    || case when hard then '{"hard": true}'::jsonb else '{}' end, claims);
end;

comment on function service.remove_related(text, text, text, text, jsonb, boolean) is
  'Does what DELETE /data/<collection>/<id>/<relation>/<related_id> does: it deletes the row, over a junction the link. claims: the '
  'caller, by default the service key. hard: as ?hard=true. Errors as service_private.write.';

-- Example: select service.remove_related('products', '1', 'tags', tag_id::text) from product_tags where product_id = 1;
