create or replace function service.declared_columns() returns setof service.properties
  language sql stable
begin atomic
  select p.collection, case p.kind when 'reference' then service.camel_case(n.column_name) else p.name end, n.column_name, p."position",
    c.type, c.sql_type, c.not_null, c.required, false, c.excluded, c.read_roles, c.write_roles, c.attributes
  from service.declared_properties() p
  join service.collections o on o.slug = p.collection
  cross join lateral (
    select coalesce(p.definition ->> 'columnName',
      case p.kind when 'reference' then service.key_column_for(p.name) else service.snake_case(p.name) end) as column_name
    offset 0) n
  cross join lateral service.column_of(
    case p.kind when 'reference' then p.definition || '{"type": "string"}' else p.definition end,
    o.schema_name, o.table_name, n.column_name, service.is_declared_key(p.definition)) c
  where not p.leads;
end;

comment on function service.declared_columns() is
  'The rows of service.properties that definitions ask for, but for the foreign keys of relations, which take their types from these.';

revoke all on function service.declared_columns() from public;
