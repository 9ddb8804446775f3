create or replace function service_private.watch_ddl() returns boolean
  language plpgsql volatile as $$
begin
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'service_ddl') then
    create event trigger service_ddl on ddl_command_end execute function service_private.on_ddl();
  end if;
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'service_drop') then
    create event trigger service_drop on sql_drop execute function service_private.on_ddl();
  end if;
  return true;
exception when insufficient_privilege then
  return false;
end $$;

comment on function service_private.watch_ddl() is
  'Sets up the event triggers that announce DDL. False where the owner may not create event triggers: call service.reload() after '
  'DDL then.';
