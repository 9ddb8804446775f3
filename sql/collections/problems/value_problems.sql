create or replace function service_private.value_problems(definition jsonb, place text, unfilled text default null)
  returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  kind constant text := service_private.property_kind(definition);
  -- A create fills in the parts that a map lacks, unless it has something better to say.
  unfilled_map constant text := coalesce(unfilled, case
    when nullif(definition -> 'defaultValue', 'null') is not null then 'the map has a default of its own, so this one would never be used'
    when definition ->> 'columnType' = 'json' then 'json is stored as it was sent; without columnType the column is jsonb' end);
begin
  -- Each statement costs as much as its start, and a project has thousands of values: only what a value can have is asked.
  if definition ? 'enum' or definition ->> 'type' = 'enum' then
    return query
      select place || p.suffix, p.problem from service_private.enum_problems(definition) p;
  end if;
  if definition ? 'validation' then
    return query
      select place || '.validation' || p.suffix, p.problem from service_private.validation_problems(definition -> 'validation', kind) p;
  end if;
  if definition ? 'storage' then
    return query
      select place || '.storage' || p.suffix, p.problem from service_private.storage_problems(definition) p;
  end if;
  if kind = 'array' then
    return query
      select p.path, p.problem
      from service_private.part_problems(definition -> 'of', place || '.of', 'what stands in an array is stored as it was sent') p
      where definition ? 'of'
      union all
      select format('%s.of.%s', place, a.key),
        'the elements of an array are as open as the array; declare it of the array, or of their parts'
      from jsonb_object_keys(definition -> 'of') a (key)
      where a.key in ('access', 'excludeFromApi')
      union all
      select place || '.oneOf' || p.suffix, p.problem from service_private.block_problems(definition) p where definition ? 'oneOf'
      union all
      select p.path, p.problem
      from jsonb_each(definition #> '{oneOf,properties}') e (name, part)
      cross join lateral service_private.part_problems(e.part, format('%s.oneOf.properties.%s', place, e.name),
        'what stands in an array is stored as it was sent') p;
  elsif kind = 'map' then
    return query
      select place || '.keyValue', 'a map of any keys has no parts with access of their own'
      where definition -> 'keyValue' = 'true' and service_private.restricted_parts(service_private.value_attributes(definition)) is not null
      union all
      select p.path, p.problem
      from jsonb_each(definition -> 'properties') e (name, part)
      cross join lateral service_private.part_problems(e.part, format('%s.properties.%s', place, e.name), unfilled_map) p;
  end if;
end $$;

comment on function service_private.value_problems(jsonb, text, text) is
  'Problems of the rules of a declared property, or of a part of one; parts within. place: of the value; unfilled: why its parts can have '
  'no defaults.';
