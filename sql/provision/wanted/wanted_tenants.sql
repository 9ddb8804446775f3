create or replace function service_private.wanted_tenants(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, collection text, field text, column_name text, type text,
    bypasses text, tenants text, single boolean)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.schema_name, t.table_name, t.oid, t.collection, n.field, n.column_name, n.type,
    format('service.uid() = ''service'' or string_to_array(service.roles(), '','') && %L::text[]', n.bypass_roles), n.tenants, n.single
  from unnest(wanted_tables) t
  join service.collections c on c.slug = t.collection and c.definition ? 'tenant'
  cross join lateral service_private.collection_tenant(t.collection) n
  where n.column_name is not null;
end $$;

comment on function service_private.wanted_tenants(service_private.wanted_table[]) is
  'The tables whose rows belong to tenants by their collection files, as service_private.collection_tenant, with SQL text of who is bound '
  'to none (bypasses, boolean).';
