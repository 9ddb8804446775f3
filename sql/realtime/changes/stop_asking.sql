create or replace function service_private.stop_asking(reader uuid) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  perform service_private.lock_leases();
  delete from service.change_readers r where r.id = stop_asking.reader;
  perform service_private.tell_writers();
end $$;

comment on function service_private.stop_asking(uuid) is 'A gateway ends, and wants to hear of no more changes.';
