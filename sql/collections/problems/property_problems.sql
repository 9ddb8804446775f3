create or replace function service.property_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select f.path, f.problem
  from service.declared_properties() p
  cross join lateral service.column_problems(p.definition, p.path, service.is_declared_key(p.definition)) f
  where not p.leads
  union all
  select e.path || '.access', 'stands beside excludeFromApi; one of them'
  from service.declared_properties() e
  where e.leads and e.definition ? 'excludeFromApi' and e.definition ? 'access';
end $$;

comment on function service.property_problems() is 'What is wrong with the declared properties that have a column of their own.';

revoke all on function service.property_problems() from public;
