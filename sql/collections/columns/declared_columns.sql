create or replace function service_private.declared_columns() returns setof service.properties
  language sql stable
begin atomic
  select p.collection, case p.kind when 'reference' then service_private.camel_case(n.column_name) else p.name end, n.column_name,
    p."position",
    c.type, c.sql_type, c.not_null, c.required, false, c.excluded, c.read_roles, c.write_roles, c.attributes
  from service_private.declared_properties() p
  join service.collections o on o.slug = p.collection
  cross join lateral (
    select coalesce(p.definition ->> 'columnName',
      case p.kind when 'reference' then service_private.key_column_for(p.name) else service_private.snake_case(p.name) end) as column_name
    offset 0) n
  cross join lateral service_private.column_of(
    case p.kind when 'reference' then p.definition || '{"type": "string"}' else p.definition end,
    o.schema_name, o.table_name, n.column_name, service_private.is_declared_key(p.definition)) c
  where not p.leads;
end;

comment on function service_private.declared_columns() is
  'The rows of service.properties that definitions ask for, but for the foreign keys of relations, which take their types from these.';
