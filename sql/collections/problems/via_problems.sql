create or replace function service_private.via_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with step as materialized (
    select s.*, format('%s.joinPath[%s]', s.path, s.n - 1) as at from service_private.declared_steps() s
  ), fault as materialized (
    select s.path as whole, s.at || '.table' as path, format('%s is the table of no collection, and no junction', s.named) as problem
    from step s
    where s.table_name is null
    union all
    select s.path, s.at || '.on', 'from and to have different numbers of columns'
    from step s
    where cardinality(s."from") <> cardinality(s."to")
    union all
    select s.path, format('%s.on.%s', s.at, e.key), format('%s has no column %s', e.table_name, c.name)
    from step s
    cross join lateral (values
      ('from', s.table_before, s."from", s.known_before), ('to', s.table_name, s."to", s.known)) e (key, table_name, columns, known)
    cross join unnest(e.columns) c (name)
    where c.name <> all (e.known)
  )
  select f.path, f.problem from fault f
  union all
  select d.path, 'needs a joinPath'
  from service_private.declared_relations() d
  join service.collections t on t.slug = d.target
  where d.kind = 'via' and jsonb_array_length(coalesce(d.relation -> 'joinPath', '[]')) = 0
  union all
  select s.path || '.joinPath', format('ends in %s, not in %s, the table of %s', s.table_name, t.table_name, s.target)
  from step s
  join service.collections t on t.slug = s.target
  where s.n = s.steps and (s.schema_name, s.table_name) <> (t.schema_name, t.table_name)
    and not exists (select from fault f where f.whole = s.path);
end $$;

comment on function service_private.via_problems() is 'Problems of the joins of declared via relations.';
