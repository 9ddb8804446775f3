-- In PL/pgSQL, so that it is planned once: in each of the twenty statements that read it the planner would spend 2 ms on it.
create or replace function service_private.declared_relations()
  returns table (
    collection text, name text, "position" integer, path text, property_path text, kind text, target text, relation jsonb, property jsonb,
    validation jsonb, is_key boolean)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with entry as (
    select c.slug as collection, coalesce(e.relation ->> 'relationName', service_private.target_slug(e.relation)) as name, e.n, e.relation,
      format('%s.relations[%s]', c.slug, e.n - 1) as path
    from service.collections c
    cross join jsonb_array_elements(c.definition -> 'relations') with ordinality e (relation, n)
    where c.source = 'file' and jsonb_typeof(e.relation) = 'object'
  ), property as (
    select p.*, e.n as entry,
      case when p.kind = 'reference' then jsonb_strip_nulls(jsonb_build_object(
          'kind', 'belongsTo', 'target', p.definition -> 'path', 'localKey', p.definition -> 'columnName',
          'onDelete', p.definition -> 'onDelete', 'onUpdate', p.definition -> 'onUpdate'))
        else coalesce(p.definition -> 'relation', e.relation) end as relation
    from service_private.declared_properties() p
    left join lateral (
      select e.n, e.relation
      from entry e
      where e.collection = p.collection and e.name = p.definition ->> 'relationName' and not p.definition ? 'relation'
      order by e.n
      limit 1) e on true
    where p.leads and not p.broken
  ), declared as (
    select p.collection, p.name, p."position", case when p.definition ? 'relation' then p.path || '.relation' else p.path end as path,
      p.path as property_path, p.relation, p.definition as property
    from property p
    where p.relation is not null
    union all
    select e.collection, e.name, 10000 + e.n::integer, e.path, e.path, e.relation,
      jsonb_build_object('type', 'relation', 'relation', e.relation)
    from entry e
    where not exists (select from property p where p.collection = e.collection and p.entry = e.n)
  )
  select d.collection, d.name, d."position", d.path, d.property_path, d.relation ->> 'kind', service_private.target_slug(d.relation),
    d.relation,
    d.property, coalesce(d.relation -> 'validation', '{}') || coalesce(d.property -> 'validation', '{}'),
    service_private.is_declared_key(d.property)
  from declared d;
end $$;

comment on function service_private.declared_relations() is
  'The relations that the definitions of collections declare, by a property or by an entry of relations. property: what declares it, '
  'with the labels and access lists of its foreign key.';
