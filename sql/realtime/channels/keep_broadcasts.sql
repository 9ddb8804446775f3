-- One at a time, so that what one session said in two transactions keeps its order.
create or replace function service_private.keep_broadcasts() returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  said record;
begin
  if not exists (select from service.broadcasts b where b.kept) then
    return;
  end if;
  perform pg_advisory_xact_lock(7261946175);
  with taken as (
    delete from service.broadcasts b where b.kept returning b.id, b.channel, b.event, b.payload
  )
  select array_agg(t.channel order by t.id) as channels, array_agg(t.event order by t.id) as events,
    array_agg(t.payload::text order by t.id) as payloads, array_agg(null::uuid) as senders into said
  from taken t;
  if said.channels is not null then
    perform service_private.keep_messages(said.channels, said.events, said.payloads, said.senders);
  end if;
end $$;

comment on function service_private.keep_broadcasts() is
  'Gives what service.broadcast said in channels that keep messages its numbers, and tells it. Called by gateways.';
