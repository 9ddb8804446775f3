-- Every table on the way is that of a collection or a junction, so that row security decides what is passed through.
create or replace function service_private.declared_steps()
  returns table (
    collection text, name text, path text, target text, relation jsonb, n integer, steps integer, named text, schema_name text,
    table_name text, "from" text[], "to" text[], known text[], known_before text[], table_before text)
  language sql stable
begin atomic
  with place as materialized (
    select c.schema_name, c.table_name, c.slug, 0 as rank,
      array(select p.column_name from service.properties p where p.collection = c.slug) as columns
    from service.collections c
    where c.source = 'file'
    union all
    select r.junction_schema, r.junction_table, null, 1, r.junction_source || r.junction_target
      || array(select e.pivot ->> 'columnName' from jsonb_array_elements(r.pivot) e (pivot))
    from service.relations r
    where r.kind = 'manyToMany'
  ), step as (
    select d.*, s.step, s.n, jsonb_array_length(d.relation -> 'joinPath') as steps, s.step ->> 'table' as named,
      case s.n when 1 then null else d.relation #>> array['joinPath', (s.n - 2)::text, 'table'] end as named_before
    from service_private.declared_relations() d
    join service.collections t on t.slug = d.target
    cross join jsonb_array_elements(d.relation -> 'joinPath') with ordinality s (step, n)
    where d.kind = 'via'
  )
  select s.collection, s.name, s.path, s.target, s.relation, s.n::integer, s.steps, s.named, here.schema_name, here.table_name,
    service_private.step_columns(before.slug, s.step #> '{on,from}'), service_private.step_columns(here.slug, s.step #> '{on,to}'),
    here.columns, before.columns, before.table_name
  from step s
  left join lateral (
    select p.* from place p
    where s.named in (p.table_name, p.schema_name || '.' || p.table_name)
    order by p.rank, p.slug limit 1) here on true
  left join lateral (
    select p.* from place p
    where case when s.named_before is null then p.slug = s.collection
      else s.named_before in (p.table_name, p.schema_name || '.' || p.table_name) end
    order by p.rank, p.slug limit 1) before on true;
end;

comment on function service_private.declared_steps() is
  'The joins of via relations, one by one: table_name is null where no collection and no junction has the named table; known and '
  'known_before are the columns of this table and of the one before.';
