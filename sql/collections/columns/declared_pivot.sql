-- A reader of a link may read all of it, so the columns of a junction besides its two ends have no access lists.
create or replace function service_private.declared_pivot(through jsonb, junction_schema text, junction_table text) returns jsonb
  language sql stable
begin atomic
  select case when through ? 'properties' then coalesce(jsonb_agg(jsonb_build_object(
      'name', p.name, 'columnName', n.column_name, 'position', p."position", 'type', c.type, 'sqlType', c.sql_type, 'notNull', c.not_null,
      'required', c.required, 'attributes', c.attributes) order by p."position"), '[]') end
  from (
    select p.name, p.declared,
      row_number() over (order by array_position(service_private.texts(through -> 'propertiesOrder'), p.name), p.name) as "position"
    from jsonb_each(through -> 'properties') p (name, declared)) p
  cross join lateral (select coalesce(p.declared ->> 'columnName', service_private.snake_case(p.name)) as column_name offset 0) n
  cross join lateral service_private.column_of(p.declared, junction_schema, junction_table, n.column_name, false) c
  where service_private.property_kind(p.declared) not in ('relation', 'reference');
end;

comment on function service_private.declared_pivot(jsonb, text, text) is
  'The columns of a junction of its own, as service.relations.pivot has them; null where none are declared.';
