-- Without pgvector a vector has no column, so it must not be queried.
create or replace function service_private.column_of(
  definition jsonb, table_schema text, table_name text, column_name text, is_key boolean,
  out type text, out sql_type text, out not_null boolean, out required boolean, out excluded boolean, out read_roles text[],
  out write_roles text[], out attributes jsonb)
  language plpgsql stable as $$
declare
  enum_type constant text := format('%s_%s', table_name, column_name);
  whole constant text := service_private.whole_type(definition, is_key, format('%I.%I', table_schema, enum_type));
  identity constant boolean := service_private.is_identity(definition, is_key);
  vector_schema constant text := case when service_private.property_kind(definition) = 'vector'
    then service_private.extension_schema('vector') end;
  default_value text;
begin
  type := service_private.property_kind(definition);
  sql_type := service_private.cast_type(whole);
  default_value := service_private.default_clause(definition, is_key, sql_type);
  excluded := coalesce((definition -> 'excludeFromApi')::boolean, false) or (type = 'vector' and vector_schema is null);
  read_roles := case when excluded then '{}' else service_private.texts(definition #> '{access,read}') end;
  write_roles := case when excluded then '{}' else service_private.texts(definition #> '{access,write}') end;
  required := coalesce((definition #> '{validation,required}')::boolean, false);
  not_null := is_key or required;
  required := required and not is_key and default_value is null and not identity and not definition ? 'autoValue'
    and write_roles is distinct from '{}';
  attributes := service_private.value_attributes(definition)
    || jsonb_strip_nulls(jsonb_build_object(
      'maxLength', case when type = 'string' then coalesce(definition #> '{validation,max}',
        case whole when 'character(1)' then '1'::jsonb end) end,
      'isId', case when is_key then case when jsonb_typeof(definition -> 'isId') = 'string' and definition ->> 'isId' <> 'manual'
        then definition -> 'isId' else 'true' end end,
      'autoValue', definition -> 'autoValue',
      'dimensions', definition -> 'dimensions'))
    || case when definition ? 'defaultValue' then jsonb_build_object('defaultValue', definition -> 'defaultValue') else '{}' end
    || jsonb_build_object('column', jsonb_build_object(
      'type', whole,
      'default', default_value,
      'identity', identity,
      'unique', coalesce((definition #> '{validation,unique}')::boolean, false),
      'stamp', definition -> 'autoValue',
      'enumType', case when type = 'string' and definition ? 'enum' then jsonb_build_object('schema', table_schema, 'name', enum_type,
        'labels', array(select i #>> '{}' from unnest(service_private.enum_ids(definition)) i)) end,
      'index', service_private.vector_index(definition)));
  attributes := attributes || jsonb_strip_nulls(jsonb_build_object('restricted', service_private.restricted_parts(attributes)));
  if vector_schema is not null then
    sql_type := format('%I.vector', vector_schema);
  end if;
end $$;

comment on function service_private.column_of(jsonb, text, text, text, boolean) is
  'The column of a declared property, of a collection or of a junction, with the rules of its values: the columns of service.properties '
  'of these names.';
