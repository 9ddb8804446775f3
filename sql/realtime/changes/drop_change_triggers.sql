create or replace function service_private.drop_change_triggers() returns table (name text, statement text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select format('%I.%I', n.nspname, c.relname),
    string_agg(format('drop trigger %I on %I.%I;', g.tgname, n.nspname, c.relname), E'\n' order by g.tgname)
  from pg_trigger g
  join pg_class c on c.oid = g.tgrelid
  join pg_namespace n on n.oid = c.relnamespace
  where g.tgfoid = 'service_private.announce_change'::regproc
  group by n.nspname, c.relname;
end;

comment on function service_private.drop_change_triggers() is
  'The statements that stop tables from announcing their changes (REALTIME_CDC=off).';
