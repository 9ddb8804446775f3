-- Ids are compared as text: a claim has no other type.
create or replace function service.wanted_tenants()
  returns table (
    schema_name text, table_name text, relation oid, collection text, field text, column_name text, type text,
    bypasses text, tenants text, single boolean)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select t.schema_name, t.table_name, t.oid, t.collection, n.tenant ->> 'field', p.column_name, p.sql_type,
    format('service.uid() = ''service'' or string_to_array(service.roles(), '','') && %L::text[]',
      array(select jsonb_array_elements_text(n.tenant -> 'bypassRoles'))),
    case when s.single then format('select service.claim(%L)', n.tenant #>> '{from,claim}')
      else service.memberships(n.tenant -> 'from' -> 'membership') end,
    s.single
  from service.wanted_tables() t
  join service.collections c on c.slug = t.collection
  cross join lateral (select c.definition -> 'tenant') n (tenant)
  cross join lateral (select n.tenant -> 'from' ? 'claim') s (single)
  join service.properties p
    on p.collection = t.collection and p.column_name = service.field_column(t.collection, n.tenant ->> 'field')
  where jsonb_typeof(n.tenant) = 'object';
end;

comment on function service.wanted_tenants() is
  'The tables whose rows belong to tenants by their collection files: the field and its column, and as SQL text who is bound to no '
  'tenant (bypasses, boolean) and the query of the caller''s tenants (tenants, text; single: it gives one at most).';

revoke all on function service.wanted_tenants() from public;
