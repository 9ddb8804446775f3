-- A link is seen by who sees both rows, and written by who may update the row of the side that declares it. The
-- subqueries run under the policies of the tables they read, so seeing needs no repetition; updating does, and SQL of
-- an author cannot be moved to another table: where it decides, links stay with admin.
create or replace function service.junction_policies()
  returns table (schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with side as (
    select t.schema_name, t.table_name, t.oid, r.collection, r.name, s.definition,
      format('from %I.%I _source where %s', s.schema_name, s.table_name,
        (select string_agg(format('_source.%I = %I.%I', l.local, t.table_name, l.link), ' and ' order by n) from unnest(r.local_columns, r.junction_source) with ordinality l (local, link, n))) as source,
      format('from %I.%I _target where %s', d.schema_name, d.table_name,
        (select string_agg(format('_target.%I = %I.%I', l.local, t.table_name, l.link), ' and ' order by n) from unnest(r.target_columns, r.junction_target) with ordinality l (local, link, n))) as target
    from service.wanted_tables() t
    join service.relations r on r.kind = 'manyToMany' and r.junction_schema = t.schema_name and r.junction_table = t.table_name
    join service.collections s on s.slug = r.collection and s.source = 'file'
    join service.collections d on d.slug = r.target
    where t.collection is null
  ), rule as (
    select s.schema_name, s.table_name, s.collection, s.name, r.rule ->> 'mode' is distinct from 'restrictive' as permissive, r.rule ? 'using' or r.rule ? 'withCheck' as raw,
      service.rule_predicate(s.collection, '_source', r.rule, 'using') as predicate
    from side s
    cross join jsonb_array_elements(case jsonb_typeof(s.definition -> 'securityRules') when 'array' then s.definition -> 'securityRules' else '[]' end) r (rule)
    where exists (select from service.rule_operations(r.rule) o where o.operation in ('update', 'all'))
  ), writing as (
    select s.*,
      (select string_agg(distinct '(' || r.predicate || ')', ' or ') from rule r
        where r.schema_name = s.schema_name and r.table_name = s.table_name and r.collection = s.collection and r.name = s.name and r.permissive and not r.raw) as widened,
      (select string_agg(distinct '(' || r.predicate || ')', ' and ') from rule r
        where r.schema_name = s.schema_name and r.table_name = s.table_name and r.collection = s.collection and r.name = s.name and not r.permissive and not r.raw) as narrowed,
      exists (select from rule r
        where r.schema_name = s.schema_name and r.table_name = s.table_name and r.collection = s.collection and r.name = s.name and not r.permissive and r.raw) as locked
    from side s
  ), first as (
    select distinct on (s.schema_name, s.table_name) s.*, bool_or(coalesce((s.definition ->> 'disableDefaultPolicies')::boolean, false)) over (partition by s.schema_name, s.table_name) as closed
    from side s
    order by s.schema_name, s.table_name, s.collection, s.name
  ), policy as (
    select f.schema_name, f.table_name, f.oid, a.suffix || case when o.several then '_' || o.operation else '' end as suffix, true as permissive, o.operation,
      service.rule_predicate(f.collection, '', a.rule, 'using') as predicate, 'the default for a junction' as origin
    from first f
    cross join service.default_rules() a
    cross join service.rule_operations(a.rule) o
    where not f.closed
    union all
    select f.schema_name, f.table_name, f.oid, '_link_read', true, 'select', format('exists (select %s) and exists (select %s)', f.source, f.target), format('%s.%s', f.collection, f.name)
    from first f
    union all
    select w.schema_name, w.table_name, w.oid, null, true, o.operation, format('exists (select %s and (%s)) and exists (select %s)', w.source, w.widened, w.target), format('%s.%s', w.collection, w.name)
    from writing w
    cross join unnest(array['insert', 'update', 'delete']) o (operation)
    where w.widened is not null and not w.locked
    union all
    select w.schema_name, w.table_name, w.oid, null, false, o.operation, format('exists (select %s and %s)', w.source, w.narrowed), format('%s.%s', w.collection, w.name)
    from writing w
    cross join unnest(array['insert', 'update', 'delete']) o (operation)
    where w.narrowed is not null
  )
  select p.schema_name, p.table_name, p.oid, p.table_name, p.suffix, p.permissive, p.operation, array['public'],
    case when p.operation <> 'insert' then p.predicate end, case when p.operation in ('insert', 'update') then p.predicate end, p.origin
  from policy p;
end;

comment on function service.junction_policies() is 'The policies of junctions that are no collections of their own; columns as in service.collection_policies().';

revoke all on function service.junction_policies() from public;
