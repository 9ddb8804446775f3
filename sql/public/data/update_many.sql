create or replace function service.update_many(collection text, updates jsonb, claims jsonb default service_private.service_claims())
  returns json
  language sql volatile
begin atomic
  select service_private.change(jsonb_build_object('op', 'update', 'bulk', true, 'path', jsonb_build_array(collection),
    'body', jsonb_build_object('updates', updates)), claims);
end;

comment on function service.update_many(text, jsonb, jsonb) is
  'The answer of PATCH /data/<collection>/bulk with these updates ([{id, data}]), as JSON. claims: the caller, by default the service '
  'key. Errors as service.create_many.';

-- Example: select service.update_many('products', '[{"id": 1, "data": {"price": 9.5}}, {"id": 2, "data": {"price": 8}}]');
