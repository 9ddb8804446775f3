-- A row type that is a served table's has its names, and none of its own.
create or replace function service_private.endpoint_document(function oid) returns jsonb
  language plpgsql stable as $$
declare
  called pg_catalog.pg_proc := (select p from pg_catalog.pg_proc p where p.oid = endpoint_document.function);
  tags record := service_private.endpoint_tags(pg_catalog.obj_description(function, 'pg_proc'));
  row_type oid := (
    select t.typrelid from pg_catalog.pg_type t
    where t.oid = service_private.base_type(called.prorettype) and t.typtype = 'c');
  answer text := case
    when called.proretset then 'set'
    when row_type is not null or called.prorettype = 'pg_catalog.record'::regtype then 'row'
    when called.prorettype = 'pg_catalog.void'::regtype then 'void'
    else 'value' end;
  collection text := (
    select min(c.slug) from service.collections c
    where c.exposed and row_type is not null and to_regclass(format('%I.%I', c.schema_name, c.table_name)) = row_type);
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'name', called.proname,
    'description', tags.description,
    'volatility', case called.provolatile when 'v' then 'volatile' when 's' then 'stable' else 'immutable' end,
    'public', case when tags.is_public then true end,
    'roles', tags.roles,
    'scope', tags.scope,
    'body', (
      select service_private.shown_type(a.type) from service_private.endpoint_arguments(called.oid) a where a.argument is null limit 1),
    'bodyRequired', (
      select a.is_required from service_private.endpoint_arguments(called.oid) a where a.argument is null limit 1),
    'arguments', (
      select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'argument', a.argument,
        'type', service_private.argument_type(a.type), 'sqlType', service_private.shown_type(a.type),
        'composite', nullif(service_private.holds_rows(a.type), false), 'enum', service_private.enum_labels(a.type),
        'required', a.is_required)
        order by a.n), '[]')
      from service_private.endpoint_arguments(called.oid) a where a.argument is not null),
    'returns', jsonb_build_object(
      'kind', answer,
      'collection', collection,
      'type', case answer when 'value' then service_private.argument_type(called.prorettype) end,
      'sqlType', case answer when 'value' then service_private.shown_type(called.prorettype) end,
      'composite', case answer when 'value' then nullif(service_private.holds_rows(called.prorettype), false) end,
      'enum', case answer when 'value' then service_private.enum_labels(called.prorettype) end,
      'properties', case when answer in ('row', 'set') and collection is null then (
        select jsonb_agg(jsonb_build_object('name', c.name, 'type', service_private.property_type(c.type),
          'sqlType', service_private.shown_type(c.type), 'composite', nullif(service_private.holds_rows(c.type), false),
          'enum', service_private.enum_labels(c.type),
          'comparison', service_private.comparison_limit(service_private.sql_type(c.type))) order by c.n)
        from service_private.endpoint_columns(called.oid) c) end)));
end $$;

comment on function service_private.endpoint_document(oid) is
  'An endpoint as the contract shows it: {name, description, volatility, public, roles, scope, body (the type of one argument without a '
  'name, which the whole body is), bodyRequired, arguments: [{name, argument (its name in SQL), type, sqlType, composite, enum, '
  'required}], returns: {kind: void, value, row or set, collection (whose rows they are), type, sqlType, composite and enum of a value, '
  'properties: [{name, type, sqlType, composite, enum, comparison}] of other rows}}. Members that do not apply are left out; composite is '
  'true for rows and arrays of them, enum has the values of an enum and of the elements of an array of one.';
