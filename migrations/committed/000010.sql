--! Previous: sha1:0f0dfdc70ba50f490d6a9c3c064625ca70af670e
--! Hash: sha1:2b10782d2ed4d0aca58f47eb3c065b76b0d7c6a9

--! Included read/is_costly.sql
-- A transaction that enters first costs three round trips more, and may then count with several processes. One caller gets
-- a count of a million rows in half the time so, many callers at once get neither more nor less; below 300,000 rows
-- PostgreSQL uses one process anyway (bench/count). What counts is what a plan for any values costs: a filter with an
-- index leaves few rows of many.
create or replace function service.is_costly(collection text, statement text) returns boolean
  language plpgsql volatile set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  large constant real := 100000;
  costly constant real := 20000;
  parameters int := (select max(m[1]::int) from regexp_matches(statement, '\$(\d+)', 'g') m);
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
  execute format('explain (format json) execute service_cost(%s)', rtrim(repeat('null, ', parameters), ', ')) into plan;
  deallocate service_cost;
  return (plan -> 0 -> 'Plan' ->> 'Total Cost')::real >= costly;
end $$;

comment on function service.is_costly(text, text) is
  'Whether a compiled count or aggregate of a collection is worth several processes: the planner''s cost of it, for values unknown, is 20,000 or more (a scan of about a million rows). Tables below 100,000 rows are not looked at.';

revoke all on function service.is_costly(text, text) from public;
--! EndIncluded read/is_costly.sql
--! Included read/compile.sql
-- The one place that writes the SQL of a data request. The gateway caches the text by shape and runs it as a prepared
-- statement; service.list runs the same text.
create or replace function service.compile(shape jsonb, roles text[], out statement text, out lane text, out enter_first boolean, out revalidates boolean)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := service.path_collection(shape -> 'path');
begin
  perform service.require_path_readable(shape -> 'path', roles);
  if shape ? 'after' then
    perform service.require_cursor(collection, shape, roles);
  end if;
  statement := case shape ->> 'op'
    when 'list' then service.statement_list(collection, shape, roles)
    when 'get' then service.statement_get(collection, shape, roles)
    when 'count' then service.statement_count(collection, shape, roles)
    when 'aggregate' then service.statement_aggregate(collection, shape, roles)
  end;
  enter_first := service.needs_entering(statement) or shape ->> 'op' in ('count', 'aggregate') and service.is_costly(collection, statement);
  if enter_first then
    -- Who has entered needs no gate; and a statement that enters is never planned for several processes.
    statement := replace(statement, 'service.enter($1) as ok', '$1::text is not null as ok');
  end if;
  -- A transaction of several statements needs a connection for itself.
  lane := case when shape ->> 'op' = 'get' and not enter_first then 'point' else 'scan' end;
  revalidates := shape ->> 'op' = 'get' and not shape ? 'include'
    and not exists (select from service.collections c where c.slug = collection and c.callbacks ? 'afterRead');
end $$;

comment on function service.compile(jsonb, text[]) is
  'The statement for a request shape ({op, path, where, logical, orderBy, limit, offset, after, fields, include, search, vector, select, groupBy …}, values replaced by parameter numbers; $1 = claims), as callers with these roles may run it. lane: point (bounded work, pipelined) or scan (one at a time). enter_first: run it in a transaction that has called service.enter before, the statement does not (partitioned tables whose policies call identity functions bare; counts and aggregates of so many rows that several processes are worth the round trips). revalidates: the answer depends on nothing but the row, so while its tag stands the answer stands (no related rows, no afterRead). Errors: GW400 for names and operators, GW404 for unknown collections, GW501 for what is parsed but not compiled.';

revoke all on function service.compile(jsonb, text[]) from public;
--! EndIncluded read/compile.sql
