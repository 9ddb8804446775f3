create or replace function service_private.property_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select f.path, f.problem
  from service_private.declared_properties() p
  cross join lateral service_private.column_problems(p.definition, p.path, service_private.is_declared_key(p.definition)) f
  where not p.leads
  union all
  select e.path || '.access', 'stands beside excludeFromApi; one of them'
  from service_private.declared_properties() e
  where e.leads and e.definition ? 'excludeFromApi' and e.definition ? 'access';
end $$;

comment on function service_private.property_problems() is 'Problems of the declared properties that have a column of their own.';
