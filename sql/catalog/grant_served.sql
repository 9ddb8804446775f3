-- PostgreSQL refuses DDL on what is granted meanwhile ("tuple concurrently updated"): a lock keeps the two apart. It is
-- given up before PostgreSQL looks for deadlocks, which might end the DDL. A view that reads itself cannot be locked, and a table of
-- another owner may not be: those go without.
create or replace function service_private.grant_served() returns setof text
  language plpgsql volatile set jit = off set lock_timeout = '500ms' as $$
declare
  relation regclass;
  statement text;
begin
  perform set_config('rowgate.granting', 'on', true);
  for relation in
    select c.oid
    from (
      select schema_name, table_name from service.collections
      union
      select junction_schema, junction_table from service.relations where junction_table is not null
    ) s
    join pg_catalog.pg_class c on c.oid = to_regclass(format('%I.%I', s.schema_name, s.table_name)) and c.relkind in ('r', 'p', 'v')
    where not has_table_privilege('service_user', c.oid, 'select')
  loop
    begin
      execute format('lock table only %s in access share mode', relation);
    exception when invalid_object_definition or insufficient_privilege or statement_too_complex then
      continue;
    end;
  end loop;
  for statement in select * from service_private.missing_grants() loop
    begin
      execute statement;
    exception
      when lock_not_available or transaction_rollback or internal_error then raise;
      when others then continue;
    end;
    return next statement;
  end loop;
end $$;

comment on function service_private.grant_served() is
  'Runs the statements of service_private.missing_grants() and returns those that PostgreSQL does not refuse. Error 55P03 while DDL holds '
  'one of the tables.';
