-- The second of two rules with one name gets its hash as well. Equal rules are one policy, and so are rules without a
-- name that are the same for reading and for every way of writing. PostgreSQL's defaults are left out, as pg_dump
-- does it.
create or replace function service_private.wanted_policies(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (schema_name text, table_name text, relation oid, name text, clause text, meaning text, origin text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  with policy as materialized (
    select p.*, coalesce(p.using_clause, p.check_clause) as predicate,
      p.suffix is null and coalesce(p.using_clause = p.check_clause, true) as mergeable
    from (
      select * from service_private.collection_policies(wanted_tables)
      union all
      select * from service_private.junction_policies(wanted_tables)
      union all
      select * from service_private.tenant_policies(wanted_tables)
    ) p
  ), whole as materialized (
    select p.schema_name, p.table_name, p.relation, p.stem, p.permissive, p.roles, p.predicate, min(p.origin) as origin
    from policy p
    where p.mergeable
    group by p.schema_name, p.table_name, p.relation, p.stem, p.permissive, p.roles, p.predicate
    having bool_or(p.operation = 'all') or count(distinct p.operation) = 4
  ), single as (
    select w.schema_name, w.table_name, w.relation, w.stem, null as suffix, w.permissive, 'all' as operation, w.roles,
      w.predicate as using_clause, w.predicate as check_clause, w.origin
    from whole w
    union all
    select p.schema_name, p.table_name, p.relation, p.stem, p.suffix, p.permissive, p.operation, p.roles,
      p.using_clause, p.check_clause, p.origin
    from policy p
    where not exists (
      select from whole w
      where p.mergeable and (w.schema_name, w.table_name, w.stem, w.permissive, w.roles, w.predicate)
        = (p.schema_name, p.table_name, p.stem, p.permissive, p.roles, p.predicate))
  ), written as (
    select p.*, concat_ws(' ', case when not p.permissive then 'as restrictive' end, 'for ' || p.operation,
        'to ' || (select string_agg(quote_ident(r), ', ') from unnest(p.roles) r where p.roles <> '{public}'),
        'using (' || p.using_clause || ')',
        'with check (' || case when p.check_clause is distinct from p.using_clause then p.check_clause end || ')') as clause
    from single p
  ), named as (
    select w.*, h.hash, service_private.short_name(w.stem, coalesce(w.suffix, '_' || w.operation || '_' || h.hash)) as name
    from written w
    cross join lateral (select service_private.short_hash(w.clause) as hash) h
  ), numbered as (
    select n.*, dense_rank() over (partition by n.schema_name, n.table_name, n.name order by n.clause) as rank,
      row_number() over (partition by n.schema_name, n.table_name, n.name, n.clause order by n.origin) as repeated
    from named n
  )
  select n.schema_name, n.table_name, n.relation,
    case n.rank when 1 then n.name else service_private.short_name(n.name, '_' || n.hash) end, n.clause,
    left(encode(sha256(convert_to(n.clause, 'UTF8')), 'hex'), 16), n.origin
  from numbered n
  where n.repeated = 1;
end $$;

comment on function service_private.wanted_policies(service_private.wanted_table[]) is
  'Every policy that collection files ask for: its name, what stands behind "create policy … on …", a hash of that, and where it '
  'comes from.';
