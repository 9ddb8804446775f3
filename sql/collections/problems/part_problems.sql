create or replace function service_private.part_problems(definition jsonb, place text, unfilled text)
  returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
declare
  kind constant text := service_private.property_kind(definition);
begin
  return query
    select p.path, p.problem from service_private.value_problems(definition, place, unfilled) p
    union all
    select place, format('a %s is a column with a foreign key, and there is none inside an array or a map', kind)
    where kind in ('relation', 'reference')
    union all
    select place || '.defaultValue', d.problem
    from (select coalesce(unfilled, service_private.default_problem(definition,
      case when definition #> '{validation,integer}' = 'true' then 'integer' else 'numeric' end)) as problem) d
    where nullif(definition -> 'defaultValue', 'null') is not null and d.problem is not null
    union all
    select place || '.access', 'stands beside excludeFromApi; one of them' where definition ? 'excludeFromApi' and definition ? 'access'
    union all
    select place || '.validation.required', 'who may not write it could not write what it is a part of; leave out one of them'
    where definition #> '{validation,required}' = 'true'
      and (definition -> 'excludeFromApi' = 'true' or definition #> '{access,write}' is not null);
end $$;

comment on function service_private.part_problems(jsonb, text, text) is
  'Problems of a declared element of an array or part of a map; arguments as of service_private.value_problems.';
