create or replace function service_private.pause_polling(reader uuid, awake boolean) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  perform service_private.lock_leases();
  update service.change_leases l set awake = pause_polling.awake where l.reader = pause_polling.reader;
  perform service_private.publish_leases();
end $$;

comment on function service_private.pause_polling(uuid, boolean) is
  'A gateway stops polling, so that writers notify it, or (awake) starts again. Transactions in progress at the commit may not have seen '
  'it.';
