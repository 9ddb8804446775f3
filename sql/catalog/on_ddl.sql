create or replace function service.on_ddl() returns event_trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('service_catalog', 'ddl');
end $$;

comment on function service.on_ddl() is 'Event trigger: tells the gateways that tables may have changed. One notification a transaction.';

revoke all on function service.on_ddl() from public;
