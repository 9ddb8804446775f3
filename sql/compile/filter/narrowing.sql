-- In the page, in its total, in counts and in aggregates alike.
create or replace function service.narrowing(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
begin
  return service.path_conditions(shape -> 'path', 't')
    || service.search_conditions(collection, 't', shape, roles)
    || service.vector_conditions(collection, 't', shape, roles)
    || service.live_conditions(collection, 't', shape ->> 'deleted')
    -- One row is found by its key.
    || case when shape ->> 'op' <> 'get' then service.tenant_conditions(collection, 't', roles) end
    || service.filter_conditions(collection, 't', shape, roles);
end $$;

comment on function service.narrowing(text, jsonb, text[]) is
  'SQL text, as conditions, of all that narrows a read: its path, its search, its vector threshold, its deleted parameter, '
  'the caller''s tenants, where and logical.';

revoke all on function service.narrowing(text, jsonb, text[]) from public;
