create or replace function service_private.lease_changes(reader uuid, relations oid[], keyed boolean[]) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  perform service_private.lock_leases();
  insert into service.change_readers as r (id, seen, until)
  values (reader, pg_current_snapshot(), clock_timestamp() + interval '1 minute')
  on conflict (id) do update set until = excluded.until;
  delete from service.change_leases l where l.reader = lease_changes.reader and l.relation <> all (relations);
  insert into service.change_leases as l (relation, reader, keyed, until)
  select a.relation, lease_changes.reader, a.keyed, clock_timestamp() + interval '1 minute'
  from rows from (unnest(relations), unnest(lease_changes.keyed)) a (relation, keyed)
  on conflict (relation, reader) do update set keyed = excluded.keyed, awake = true, until = excluded.until;
  perform service_private.publish_leases();
end $$;

comment on function service_private.lease_changes(uuid, oid[], boolean[]) is
  'A gateway wants to hear of changes of these tables, and of no others, from the commit on; it looks by itself until '
  'service_private.pause_polling(). keyed: with the keys of rows. It counts for a minute, service_private.renew_lease() prolongs. '
  'Transactions under way at the commit may not have seen it.';
