-- A link is seen by who sees both rows, and written by who may update the row of the side that declares it. The
-- subqueries run under the policies of the tables they read, so seeing needs no repetition; updating does, and SQL of
-- an author cannot be moved to another table: where it decides, links stay with admin.
create or replace function service_private.junction_policies(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[],
    using_clause text, check_clause text, origin text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with side as (
    select t.schema_name, t.table_name, t.oid, r.collection, r.name, s.definition,
      service_private.linked_row(s, '_source', r.local_columns, t.table_name, r.junction_source) as source,
      service_private.linked_row(d, '_target', r.target_columns, t.table_name, r.junction_target) as target
    from unnest(wanted_tables) t
    join service.relations r
      on r.kind = 'manyToMany' and r.junction_schema = t.schema_name and r.junction_table = t.table_name
    join service.collections s on s.slug = r.collection and s.source = 'file'
    join service.collections d on d.slug = r.target
    where t.collection is null
  ), writing as (
    select s.*, r.widened, r.narrowed, r.locked
    from side s
    cross join lateral (
      select
        string_agg(distinct '(' || p.predicate || ')', ' or ') filter (where p.permissive and not p.raw) as widened,
        string_agg(distinct '(' || p.predicate || ')', ' and ') filter (where not p.permissive and not p.raw) as narrowed,
        coalesce(bool_or(p.raw and not p.permissive), false) as locked
      from (
        select jsonb_path_query(s.definition, '$.securityRules[*]')
        union all
        select a.rule from service_private.account_rules(s.definition) a) r (rule)
      cross join lateral (
        select r.rule ->> 'mode' is distinct from 'restrictive' as permissive,
          r.rule ?| array['using', 'withCheck'] or r.rule @? '$.** ? (@.kind == "raw")' as raw,
          service_private.rule_predicate(s.collection, '_source', r.rule, 'using') as predicate) p
      where exists (select from service_private.rule_operations(r.rule) o where o.operation in ('update', 'all'))) r
  ), first as (
    select distinct on (s.schema_name, s.table_name) s.*,
      bool_or(coalesce((s.definition ->> 'disableDefaultPolicies')::boolean, false))
        over (partition by s.schema_name, s.table_name) as closed
    from side s
    order by s.schema_name, s.table_name, s.collection, s.name
  ), policy as (
    select f.schema_name, f.table_name, f.oid, d.suffix || case when o.several then '_' || o.operation else '' end as suffix,
      true as permissive, o.operation, service_private.rule_predicate(f.collection, '', d.rule, 'using') as predicate,
      'the default for a junction' as origin
    from first f
    cross join service_private.default_rules() d
    cross join service_private.rule_operations(d.rule) o
    where not f.closed
    union all
    select f.schema_name, f.table_name, f.oid, '_link_read', true, 'select',
      format('exists (select %s) and exists (select %s)', f.source, f.target), format('%s.%s', f.collection, f.name)
    from first f
    union all
    select w.schema_name, w.table_name, w.oid, null, true, o.operation,
      format('exists (select %s and (%s)) and exists (select %s)', w.source, w.widened, w.target),
      format('%s.%s', w.collection, w.name)
    from writing w
    cross join unnest(array['insert', 'update', 'delete']) o (operation)
    where w.widened is not null and not w.locked
    union all
    select w.schema_name, w.table_name, w.oid, null, false, o.operation,
      format('exists (select %s and %s)', w.source, w.narrowed), format('%s.%s', w.collection, w.name)
    from writing w
    cross join unnest(array['insert', 'update', 'delete']) o (operation)
    where w.narrowed is not null
  )
  select p.schema_name, p.table_name, p.oid, p.table_name, p.suffix, p.permissive, p.operation, array['public'],
    case when p.operation <> 'insert' then p.predicate end,
    case when p.operation in ('insert', 'update') then p.predicate end,
    p.origin
  from policy p;
end $$;

comment on function service_private.junction_policies(service_private.wanted_table[]) is
  'The policies of junctions that are no collections of their own; columns as in service_private.collection_policies().';
