-- Temporary tables come and go all day, and grants change nothing that is served: neither is worth a look. So the
-- grants that a look gives do not cause the next one.
create or replace function service.on_ddl() returns event_trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  matters boolean := case tg_event
    when 'sql_drop' then exists (select from pg_event_trigger_dropped_objects() o where not o.is_temporary)
    else exists (
      select from pg_event_trigger_ddl_commands() c
      where c.schema_name is distinct from 'pg_temp' and c.command_tag not in ('GRANT', 'REVOKE')) end;
begin
  if matters then
    perform pg_notify('service_catalog', 'ddl');
  end if;
end $$;

comment on function service.on_ddl() is 'Event trigger: tells the gateways that tables may have changed. One notification a transaction.';

revoke all on function service.on_ddl() from public;
