create or replace function service_private.end_lease(reader uuid) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  perform service_private.lock_leases();
  delete from service.change_readers r where r.id = end_lease.reader;
  perform service_private.publish_leases();
end $$;

comment on function service_private.end_lease(uuid) is 'A gateway ends, and wants to hear of no more changes.';
