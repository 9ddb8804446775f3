create or replace function service_private.relation_problems(unreadable text[]) returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select p.path, case when p.definition ? 'relationName' then format('there is no %s among relations', p.definition ->> 'relationName')
    else 'names no relation: it needs relation or relationName' end
  from service_private.declared_properties() p
  where p.leads and not p.broken
    and not exists (select from service_private.declared_relations() d where d.collection = p.collection and d.property_path = p.path)
  union all
  select d.path, format('there is no collection %s', to_jsonb(d.target))
  from service_private.declared_relations() d
  where d.target <> all (unreadable) and not exists (select from service.collections c where c.slug = d.target)
  union all
  select format('%s.%s', d.property_path, f.key), f.problem
  from service_private.declared_relations() d
  join service.collections t on t.slug = d.target
  cross join lateral (values
    ('defaultValue', case when d.property ? 'defaultValue' then 'a relation has no default' end),
    ('isId', case when d.kind <> 'belongsTo' and d.is_key then 'only a belongsTo has a column in ' || d.collection end),
    ('columnName', case when d.kind <> 'belongsTo' and d.property ? 'columnName'
      then 'only a belongsTo has a column in ' || d.collection end),
    ('validation', case when d.kind <> 'belongsTo' and d.validation <> '{}' then 'only a belongsTo has a column in ' || d.collection end),
    ('access', case when d.kind <> 'belongsTo' and d.property ?| '{access,excludeFromApi}'
      then format('only a belongsTo has a column in %s; declare access lists where the foreign key is', d.collection) end)
  ) f (key, problem)
  where f.problem is not null
  union all
  select d.path || '.localKey', format('differs from columnName (%s)', d.property ->> 'columnName')
  from service_private.declared_relations() d
  where d.kind = 'belongsTo' and d.relation ->> 'localKey' <> d.property ->> 'columnName';
end $$;

comment on function service_private.relation_problems(text[]) is
  'Problems of declared relations by themselves. unreadable: slugs of collections whose files could not be read, so that relations to them '
  'are not reported.';
