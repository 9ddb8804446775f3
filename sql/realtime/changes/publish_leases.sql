-- Sequences are not taken back with a transaction: a gateway whose call failed asks anew. Whoever calls this has locked out the others.
create or replace function service_private.publish_leases() returns void
  language sql volatile
begin atomic
  select
    setval('service.changes_asked',
      coalesce(bit_or((1 + 2 * keyed::integer + 4 * (not awake)::integer)::bigint << service_private.change_flags_at(relation)), 1),
        count(*) > 0),
    setval('service.changes_asked_until', coalesce(ceil(extract(epoch from max(until))), 1)::bigint)
  from service.change_leases
  where until > clock_timestamp();
end;

comment on function service_private.publish_leases() is
  'What gateways want (service.change_leases), where writers read it: service.changes_asked.';
