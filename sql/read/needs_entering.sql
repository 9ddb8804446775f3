-- The executor prunes partitions before it runs anything, with stable functions evaluated then: a policy that calls one
-- bare would see the caller of no request. Inside (select …) it waits. A view may hide such a table.
create or replace function service.needs_entering(statement text) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with bare as (
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_policy p
    join pg_class c on c.oid = p.polrelid and c.relkind = 'p'
    join pg_namespace n on n.oid = c.relnamespace
    where regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\( SELECT [\w.]+\([^()]*\)( AS \w+)?\)', '', 'g') ~ '\w\('
  )
  select exists (select from bare b where position(b.name in needs_entering.statement) > 0)
    or (exists (select from bare) and exists (
      select from service.collections c where c.read_only and position(format('%I.%I', c.schema_name, c.table_name) in needs_entering.statement) > 0));
end;

comment on function service.needs_entering(text) is
  'Whether a compiled statement touches a partitioned table whose policies call functions outside (select …), so that it must run in a transaction that has entered before.';

revoke all on function service.needs_entering(text) from public;
