create or replace function service_private.rest_from_changes(reader uuid, awake boolean) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  perform service_private.lock_leases();
  update service.change_leases l set awake = rest_from_changes.awake where l.reader = rest_from_changes.reader;
  perform service_private.tell_writers();
end $$;

comment on function service_private.rest_from_changes(uuid, boolean) is
  'A gateway looks by itself no more, so that whoever changes something rings, or (awake) does so again. Transactions under way at '
  'the commit may not have seen it.';
