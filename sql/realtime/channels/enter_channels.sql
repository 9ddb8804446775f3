create or replace function service_private.enter_channels(gateway uuid, channels text[], ids uuid[], states text[]) returns void
  language sql volatile set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  insert into service.channel_gateways as g (id, until) values (gateway, clock_timestamp() + interval '30 seconds')
  on conflict (id) do update set until = excluded.until;
  delete from service.channel_presences p where p.gateway = enter_channels.gateway;
  insert into service.channel_presences (channel, id, gateway, state)
  select s.channel, s.id, enter_channels.gateway, s.state::json
  from unnest(channels, ids, states) s (channel, id, state);
  select pg_notify('service_channels', service_private.channel_notice(enter_channels.gateway::text, 'roster', to_json(c.channel)::text))
  from (select distinct s.channel from unnest(channels) s (channel)) c;
end;

comment on function service_private.enter_channels(uuid, text[], uuid[], text[]) is
  'A gateway begins, or begins again, with who is present there; the others tell the rosters of those channels anew.';
