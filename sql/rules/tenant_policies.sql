-- The bypass and the tenants of the caller are evaluated once a statement.
create or replace function service_private.tenant_policies(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[],
    using_clause text, check_clause text, origin text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select w.schema_name, w.table_name, w.relation, w.table_name, '_tenant', false, 'all', array['public'], p.predicate, p.predicate,
    'tenant of ' || w.collection
  from service_private.wanted_tenants(wanted_tables) w
  cross join lateral (
    select format('(select %s) or %I.%I::text = ' || case when w.single then '(%s)' else 'any (array(%s))' end,
      w.bypasses, w.table_name, w.column_name, w.tenants)) p (predicate);
end $$;

comment on function service_private.tenant_policies(service_private.wanted_table[]) is
  'The policies that keep the rows of tenants apart, for all operations; columns as in service_private.collection_policies().';
