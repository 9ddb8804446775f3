-- Temporary tables come and go all day, and what a revoke takes away of tables is still served: neither is worth a look; a
-- function that may no longer be called is not. A grant
-- may be what a view waits for (service.introspected_tables), but not when it is the look that gives it. Nor are the triggers that
-- tell of changes and webhooks, which a look makes.
create or replace function service_private.on_ddl() returns event_trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  matters boolean := case tg_event
    when 'sql_drop' then exists (select from pg_event_trigger_dropped_objects() o where not o.is_temporary)
    else exists (
      select from pg_event_trigger_ddl_commands() c
      where c.schema_name is distinct from 'pg_temp'
        and (c.command_tag <> 'REVOKE' or c.object_type in ('FUNCTION', 'ROUTINE', 'PROCEDURE', 'SCHEMA'))
        and (c.command_tag <> 'GRANT' or current_setting('rowgate.granting', true) is distinct from 'on')
        and not exists (
          select from pg_trigger g
          join pg_proc f on f.oid = g.tgfoid and f.pronamespace = 'service_private'::regnamespace
            and f.proname in ('announce_change', 'enqueue_webhooks')
          where c.classid = 'pg_trigger'::regclass and g.oid = c.objid)) end;
begin
  if matters then
    perform pg_notify('service_catalog', 'ddl');
  end if;
end $$;

comment on function service_private.on_ddl() is
  'Event trigger: tells the gateways that tables may have changed. One notification a transaction.';
