-- Sequences are not rolled back with a transaction: a gateway whose call failed leases anew. The caller has locked
-- out other gateways.
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
  'Publishes the leases of gateways (service.change_leases) where writers read them: service.changes_asked.';
