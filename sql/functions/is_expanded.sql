-- The conditions of PostgreSQL for a function that it expands (inline_set_returning_function), as far as the catalog tells.
create or replace function service_private.is_expanded(function oid) returns boolean
  language plpgsql stable as $$
begin
  return (
    select p.proretset and p.provolatile <> 'v' and not p.prosecdef and not p.proisstrict and p.proconfig is null and l.lanname = 'sql'
    from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
    where p.oid = is_expanded.function);
end $$;

comment on function service_private.is_expanded(oid) is 'Whether PostgreSQL puts the query of a function in place of its call.';
