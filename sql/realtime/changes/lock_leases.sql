create or replace function service_private.lock_leases() returns void
  language sql volatile
begin atomic
  select pg_advisory_xact_lock(7261946174);
end;

comment on function service_private.lock_leases() is
  'One gateway at a time changes what it wants to hear of, to the end of its transaction.';
