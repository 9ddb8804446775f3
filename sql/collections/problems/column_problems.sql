create or replace function service_private.column_problems(definition jsonb, place text, is_key boolean, unfilled text default null)
  returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  kind constant text := service_private.property_kind(definition);
  column_type constant text := definition ->> 'columnType';
  whole constant text := service_private.whole_type(definition, is_key, 'enum');
  made_by constant text := case when is_key and jsonb_typeof(definition -> 'isId') = 'string' then definition ->> 'isId' end;
  is_made constant boolean := definition ? 'autoValue' or coalesce(made_by <> 'manual', false);
  scale constant integer := (definition -> 'scale')::integer;
  vector_index constant jsonb := definition -> 'index';
  has_restricted_parts constant boolean := kind in ('array', 'map')
    and service_private.restricted_parts(service_private.value_attributes(definition)) is not null;
begin
  return query
    select p.path, p.problem from service_private.value_problems(definition, place, unfilled) p
    union all
    select format('%s.%s', place, f.key), f.problem
    from (values
      ('access', case when definition ? 'excludeFromApi' and definition ? 'access' then 'stands beside excludeFromApi; one of them' end),
      ('columnType', case
        when kind = 'string' and definition ? 'enum' and column_type is not null then 'a string with enum has a type of its own'
        when kind = 'string' and made_by = 'uuid' and column_type <> 'uuid' then 'isId "uuid" makes a uuid column'
        when kind = 'number' and made_by = 'increment' and whole not in ('smallint', 'integer', 'bigint')
          then 'isId "increment" makes an integer column; smallint, integer or bigint'
        when kind = 'array' and not service_private.holds_elements(column_type, definition -> 'of')
          then 'does not hold what of says; leave it out for ' || service_private.native_array(definition -> 'of')
        when column_type = 'json' and has_restricted_parts
          then 'json is shown as it was sent, and not without parts that have access of their own; without columnType the column is jsonb'
        end),
      -- PostgreSQL tells the value that is there already.
      ('validation.unique', case when has_restricted_parts and definition #> '{validation,unique}' = 'true'
        then 'would tell of parts that not everybody may read' end),
      ('isId', case when kind = 'string' and definition ? 'enum' and made_by = 'uuid' then 'a string with enum is no uuid' end),
      ('validation', case
        when kind = 'string' and not definition ? 'enum' and whole ~ '\(0\)$' then 'a varchar or char column has at least one character'
        when kind = 'date' and column_type = 'time' and definition -> 'validation' ?| '{min,max}'
          then 'min and max are dates, and a time column holds none' end),
      ('precision', case when kind = 'number' and whole not like 'numeric%' and definition ?| '{precision,scale}'
        then 'belongs to numeric columns, this is ' || coalesce(column_type, whole) end),
      ('scale', case when kind = 'number' and scale > coalesce((definition -> 'precision')::integer, -1)
        then case when definition ? 'precision' then format('must not be above precision (%s)', definition ->> 'precision')
          else 'needs precision' end end),
      ('defaultValue', case
        when not definition ? 'defaultValue' then null
        when is_made then format('stands beside %s, which says the value',
          case when definition ? 'autoValue' then 'autoValue' else 'isId' end)
        when definition -> 'defaultValue' <> 'null' then service_private.default_problem(definition, service_private.cast_type(whole)) end),
      ('index.lists', case when vector_index ? 'lists' and coalesce(vector_index ->> 'method', 'hnsw') = 'hnsw'
        then 'hnsw has no such setting' end),
      ('index.m', case when vector_index ? 'm' and vector_index ->> 'method' = 'ivfflat' then 'ivfflat has no such setting' end),
      ('index.efConstruction', case
        when vector_index ? 'efConstruction' and vector_index ->> 'method' = 'ivfflat' then 'ivfflat has no such setting'
        when (vector_index -> 'efConstruction')::integer < 2 * (vector_index -> 'm')::integer then 'must be at least twice m' end)
    ) f (key, problem)
    where f.problem is not null;
end $$;

comment on function service_private.column_problems(jsonb, text, boolean, text) is
  'Problems of a declared property with a column, of a collection or of a junction. place: of the property; unfilled: why the parts of a '
  'map can have no defaults there.';
