-- A transaction that enters first costs three round trips more, and may then count with several processes. One caller gets
-- a count of a million rows in half the time so, many callers at once get neither more nor less; below 300,000 rows
-- PostgreSQL uses one process anyway (bench/count). What counts is what a plan for any values costs: a filter with an
-- index leaves few rows of many.
create or replace function service.is_costly(collection text, statement text) returns boolean
  language plpgsql volatile set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  large constant real := 100000;
  costly constant real := 20000;
  parameters integer;
  plan json;
begin
  if not exists (
    select from service.collections c join pg_catalog.pg_class t on t.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
    where c.slug = is_costly.collection and (t.reltuples >= large or t.relkind <> 'r')) then
    return false;
  end if;
  -- One that a failure left behind: it outlives a rollback.
  if exists (select from pg_catalog.pg_prepared_statements where name = 'service_cost') then
    deallocate service_cost;
  end if;
  execute format('prepare service_cost as %s', statement);
  parameters := (select cardinality(p.parameter_types) from pg_catalog.pg_prepared_statements p where p.name = 'service_cost');
  execute format('explain (format json) execute service_cost(%s)', rtrim(repeat('null, ', parameters), ', ')) into plan;
  deallocate service_cost;
  return (plan -> 0 -> 'Plan' ->> 'Total Cost')::real >= costly;
end $$;

comment on function service.is_costly(text, text) is
  'Whether a compiled count or aggregate of a collection is worth several processes: the planner''s cost of it, for values unknown, is 20,000 or more (a scan of about a million rows). Tables below 100,000 rows are not looked at.';

revoke all on function service.is_costly(text, text) from public;
