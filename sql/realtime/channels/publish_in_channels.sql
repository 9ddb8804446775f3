create or replace function service_private.publish_in_channels(
  gateway uuid, channels text[], ids uuid[], states text[], notifications text[])
  returns void
  language sql volatile set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  delete from service.channel_presences p
  using unnest(channels, ids, states) s (channel, id, state)
  where s.state is null and p.channel = s.channel and p.id = s.id and p.gateway = publish_in_channels.gateway;
  insert into service.channel_presences as p (channel, id, gateway, state)
  select s.channel, s.id, publish_in_channels.gateway, s.state::json
  from unnest(channels, ids, states) s (channel, id, state)
  where s.state is not null
  on conflict (channel, id) do update set state = excluded.state;
  select pg_notify('service_channels', n.payload) from unnest(notifications) with ordinality n (payload, place) order by n.place;
end;

comment on function service_private.publish_in_channels(uuid, text[], uuid[], text[], text[]) is
  'Publishes messages of a gateway to the others: the members present there now (a state) and those who left (null), and notifications.';
