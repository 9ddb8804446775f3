-- PostgreSQL's estimates for such queries are high, and it would compile them for 8 of 8.4 s, to run them once.
-- Queries of the owner over the whole catalog, at a start, after DDL or for a statement, are never compiled. In
-- PL/pgSQL, with the functions that it calls: the body of an SQL function that is not inlined is read and planned at
-- every call, which is two thirds of the time where there is nothing to do.
create or replace function service.provision_plan() returns setof service.provision_step
  language plpgsql stable set jit = off as $$
#variable_conflict use_column
declare
  wanted_tables constant service_private.wanted_table[] := service_private.wanted_tables();
  wanted_columns constant service_private.wanted_column[] := service_private.wanted_columns(wanted_tables);
begin
  return query
  with step as (
    select * from service_private.plan_schemas(wanted_tables, wanted_columns)
    union all select * from service_private.plan_enums(wanted_columns)
    union all select * from service_private.plan_tables(wanted_tables, wanted_columns)
    union all select * from service_private.plan_columns(wanted_tables, wanted_columns)
    union all select * from service_private.plan_foreign_keys(wanted_tables, wanted_columns)
    union all select * from service_private.plan_search(wanted_tables)
    union all select * from service_private.plan_indexes(wanted_tables, wanted_columns)
    union all select * from service_private.plan_callbacks(wanted_tables, wanted_columns)
    union all select * from service_private.plan_row_security(wanted_tables)
    union all select * from service_private.plan_policies(wanted_tables)
    union all select * from service_private.plan_grants(wanted_tables)
  )
  select row_number() over (order by s.step, s.target collate "C", s.statement collate "C", s.detail collate "C")::integer,
    s.kind, s.target, s.statement, s.concurrent, s.verdict, s.detail, s.remedy
  from step s
  order by 1;
end $$;

comment on function service.provision_plan() is
  'The changes that the collections of files ask for and the database lacks, in the order in which they have to be made. verdict: safe '
  '(statement brings it), withheld (would need the table empty, or an extension that is not there), report (differs in a way that is never '
  'repaired: remedy says how one could). concurrent: the statement runs by itself, outside a transaction. In psql: select statement from '
  'service.provision_plan() where statement is not null \gexec';

-- Example: select kind, target, statement from service.provision_plan();
