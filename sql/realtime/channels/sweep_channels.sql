create or replace function service_private.sweep_channels(leaving uuid) returns void
  language sql volatile set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with gone as materialized (
    select g.id from service.channel_gateways g where g.until <= clock_timestamp() or g.id = sweep_channels.leaving
  ), left_behind as (
    delete from service.channel_presences p using gone g where p.gateway = g.id returning p.channel, p.id, p.gateway, p.state
  ), told as materialized (
    select l.gateway,
      service_private.channel_notice(l.gateway::text, 'presence', to_json(l.channel)::text,
        concat('{"type":"presence_diff","channel":', to_json(l.channel),
          ',"joins":{},"leaves":', json_build_object(l.id, l.state), '}')) as whole,
      service_private.channel_notice(l.gateway::text, 'roster', to_json(l.channel)::text) as reference
    from left_behind l
  )
  select pg_notify('service_channels', case when octet_length(t.whole) < 8000 then t.whole else t.reference end)
  from told t;
  delete from service.channel_gateways g where g.until <= clock_timestamp() or g.id = sweep_channels.leaving;
end;

comment on function service_private.sweep_channels(uuid) is 'Announces that members of gateways that are gone, and of this one, have left.';
