create or replace function service_private.renew_lease(reader uuid, seen pg_snapshot, sockets integer, subscriptions integer)
  returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
declare
  known boolean;
begin
  perform service_private.lock_leases();
  update service.change_readers r
  set seen = coalesce(renew_lease.seen, r.seen), sockets = renew_lease.sockets, subscriptions = renew_lease.subscriptions,
    until = clock_timestamp() + interval '1 minute'
  where r.id = reader and r.until > clock_timestamp();
  known := found;
  update service.change_leases l set until = clock_timestamp() + interval '1 minute' where l.reader = renew_lease.reader and known;
  delete from service.change_readers r where r.until <= clock_timestamp();
  delete from service.changes c
  where not exists (select from service.change_readers r where not pg_visible_in_snapshot(c.xid, r.seen));
  perform service_private.publish_leases();
  return known;
end $$;

comment on function service_private.renew_lease(uuid, pg_snapshot, integer, integer) is
  'A gateway''s heartbeat, with its number of sockets and subscriptions, and the snapshot up to which it has read the changes. Prunes '
  'changes in service.changes that every gateway has read, and removes dead gateways. False when this gateway counts as dead itself, and '
  'may have missed changes.';
