create or replace function service_private.keep_asking(reader uuid, seen pg_snapshot, sockets integer, subscriptions integer)
  returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
declare
  known boolean;
begin
  perform service_private.lock_leases();
  update service.change_readers r
  set seen = coalesce(keep_asking.seen, r.seen), sockets = keep_asking.sockets, subscriptions = keep_asking.subscriptions,
    until = clock_timestamp() + interval '1 minute'
  where r.id = reader and r.until > clock_timestamp();
  known := found;
  update service.change_leases l set until = clock_timestamp() + interval '1 minute' where l.reader = keep_asking.reader and known;
  delete from service.change_readers r where r.until <= clock_timestamp();
  delete from service.changes c
  where not exists (select from service.change_readers r where not pg_visible_in_snapshot(c.xid, r.seen));
  perform service_private.tell_writers();
  return known;
end $$;

comment on function service_private.keep_asking(uuid, pg_snapshot, integer, integer) is
  'A gateway is still there, with so many sockets and subscriptions, and has heard of what is visible in that snapshot. Prunes '
  'service.changes of what everybody has heard of, and forgets gateways that are gone. '
  'False when this one counts as gone itself, and may have missed something.';
