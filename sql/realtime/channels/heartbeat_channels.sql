create or replace function service_private.heartbeat_channels(gateway uuid, read bigint[])
  returns table (known boolean, broadcasts bigint[])
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
begin
  update service.channel_gateways g set until = clock_timestamp() + interval '30 seconds'
  where g.id = gateway and g.until > clock_timestamp();
  known := found or gateway is null;
  perform service_private.sweep_channels(null);
  perform service_private.keep_broadcasts();
  perform service_private.prune_channels();
  delete from service.broadcasts b where b.id = any (read) and not b.kept;
  broadcasts := array(select b.id from service.broadcasts b where not b.kept);
  return next;
end $$;

comment on function service_private.heartbeat_channels(uuid, bigint[]) is
  'Called by every gateway every 10 seconds as its heartbeat (known: false when it counts as dead itself; null where its channels are its '
  'own); sweeps expired state. read: the large broadcasts of the previous call, which every gateway has read since; the result holds the '
  'current ones.';
