create or replace function service.policies_sql() returns text
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with policy as (
    select format('%I.%I', w.schema_name, w.table_name) as on_table, w.*, regexp_replace(w.origin, '[[:cntrl:]]+', ' ', 'g') as title
    from service_private.wanted_policies() w
  ), written as (
    select p.on_table, format(E'alter table %s enable row level security;\n\n', p.on_table)
      || string_agg(format(E'-- %s\n%s;', p.title, service_private.policy_statement(p.name, p.on_table, p.clause, p.meaning, p.origin,
        format('drop policy if exists %I on %s;', p.name, p.on_table))), E'\n\n' order by p.name) as text
    from policy p
    group by p.on_table
  )
  select E'begin;\n\n' || string_agg(w.text, E'\n\n' order by w.on_table) || E'\n\ncommit;'
  from written w;
end;

comment on function service.policies_sql() is
  'A script for psql that makes every policy that collection files ask for, each below the place where it comes from, on tables that '
  'are there. Null when there is none.';

-- Example: select service.policies_sql();
