-- A row lock until the commit makes numbers dense, and notifications are sent in the order of commits: every gateway
-- receives them in their order. Channels in the order of their names, so that there is no deadlock.
create or replace function service_private.keep_messages(channels text[], events text[], payloads text[], senders uuid[]) returns void
  language sql volatile set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with given as materialized (
    select g.channel, g.event, g.payload::json as payload, g.sender, g.place,
      row_number() over (partition by g.channel order by g.place) as nth, count(*) over (partition by g.channel) as of
    from unnest(channels, events, payloads, senders) with ordinality g (channel, event, payload, sender, place)
  ), numbered as (
    insert into service.channel_cursors as c (channel, seq, prune_at)
    select g.channel, count(*), clock_timestamp() + interval '30 seconds' from given g group by g.channel order by g.channel
    on conflict (channel) do update set seq = c.seq + excluded.seq, prune_at = least(c.prune_at, excluded.prune_at)
    returning c.channel, c.seq
  ), kept as (
    insert into service.channel_messages as m (channel, seq, at, event, payload, sender)
    select g.channel, n.seq - g.of + g.nth, clock_timestamp(), g.event, g.payload, g.sender
    from given g
    join numbered n on n.channel = g.channel
    returning m.channel, m.seq, m.sender, service_private.broadcast_frame(m.channel, m.event, m.payload, m.seq) as frame
  ), told as materialized (
    select k.channel, k.seq,
      service_private.channel_notice('sql', 'message', to_json(k.channel)::text, k.seq::text, coalesce(k.sender::text, '')) as reference,
      service_private.channel_notice('sql', 'message', to_json(k.channel)::text, k.seq::text, coalesce(k.sender::text, ''),
        k.frame) as whole
    from kept k
    order by k.channel, k.seq
  )
  select pg_notify('service_channels', case when octet_length(t.whole) < 8000 then t.whole else t.reference end)
  from told t;
end;

comment on function service_private.keep_messages(text[], text[], text[], uuid[]) is
  'Stores messages of channels that keep them, each with the next number of its channel, and notifies every gateway at the commit. A '
  'message that is too large for a notification is only named there.';
