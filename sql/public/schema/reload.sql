create or replace function service.reload() returns void
  language sql volatile
begin atomic
  select pg_notify('service_catalog', 'ddl');
end;

comment on function service.reload() is
  'Asks every gateway to look at the tables again. Needed after DDL only where service_private.watch_ddl() returned false.';

-- Example: select service.reload();
