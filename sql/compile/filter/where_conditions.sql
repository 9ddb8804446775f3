-- In the page, in its total, in counts and in aggregates alike.
create or replace function service_private.where_conditions(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
begin
  return service_private.path_conditions(shape -> 'path', 't')
    || service_private.search_conditions(collection, 't', shape, roles)
    || service_private.vector_conditions(collection, 't', shape, roles)
    || service_private.live_conditions(collection, 't', shape ->> 'deleted')
    -- One row is found by its key.
    || case when shape ->> 'op' <> 'get' then service_private.tenant_conditions(collection, 't', roles) end
    || service_private.filter_conditions(collection, 't', shape, roles);
end $$;

comment on function service_private.where_conditions(text, jsonb, text[]) is
  'SQL text, as conditions, of all that narrows a read: its path, its search, its vector threshold, its deleted parameter, '
  'the caller''s tenants, where and logical.';
