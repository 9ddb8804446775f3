-- Ids are compared as text: a claim has no other type.
create or replace function service_private.collection_tenant(
  collection text, out field text, out column_name text, out type text, out bypass_roles text[], out tenants text, out single boolean)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  select n.tenant ->> 'field', p.column_name, p.sql_type, array(select jsonb_array_elements_text(n.tenant -> 'bypassRoles')),
    case when n.tenant -> 'from' ? 'claim' then format('select service.claim(%L)', n.tenant #>> '{from,claim}')
      else service_private.memberships(n.tenant -> 'from' -> 'membership') end,
    n.tenant -> 'from' ? 'claim'
  into field, column_name, type, bypass_roles, tenants, single
  from service.collections c
  cross join lateral (select c.definition -> 'tenant') n (tenant)
  join service.properties p on p.collection = c.slug and p.column_name = service_private.field_column(c.slug, n.tenant ->> 'field')
  where c.slug = collection_tenant.collection and c.source = 'file' and jsonb_typeof(n.tenant) = 'object';
end $$;

comment on function service_private.collection_tenant(text) is
  'The tenant settings of a collection''s file: the field and its column, the roles besides the service key that have no tenant, and SQL '
  'text of the query of the caller''s tenants (tenants, text; single: it returns one at most). Nulls where there are none.';
