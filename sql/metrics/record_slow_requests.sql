-- One gateway at a time: two that add to the same shapes in another order would wait for each other.
create or replace function service_private.record_slow_requests(shapes jsonb) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set jit = off as $$
begin
  perform pg_advisory_xact_lock(7261947, 5);
  insert into service.slow_request_shapes as s
    (hour, shape, method, route, collection, filter, sort, include, requests, total_ms, slowest)
  select to_timestamp(g.hour / 1000), md5(jsonb_build_array(g.method, g.route, g.collection, g.filter, g.sort, g.include)::text)::uuid,
    g.method, g.route, g.collection, g.filter, g.sort, g.include, g.requests, g."totalMs", g.slowest
  from jsonb_to_recordset(shapes) g (
    hour bigint, method text, route text, collection text, filter text[], sort text[], include text[],
    requests bigint, "totalMs" double precision, slowest jsonb)
  on conflict (hour, shape) do update set requests = s.requests + excluded.requests, total_ms = s.total_ms + excluded.total_ms,
    slowest = case when (excluded.slowest ->> 'durationMs')::float8 > (s.slowest ->> 'durationMs')::float8
      then excluded.slowest else s.slowest end;
  delete from service.slow_request_shapes s
  using (
    select o.hour, o.shape, row_number() over (partition by o.hour order by o.total_ms desc, o.shape) as place
    from service.slow_request_shapes o
    where o.hour in (select to_timestamp((g.shape ->> 'hour')::bigint / 1000) from jsonb_array_elements(shapes) g (shape))) r
  where s.hour = r.hour and s.shape = r.shape and r.place > 100;
  delete from service.slow_request_shapes s where s.hour < now() - interval '7 days';
end $$;

comment on function service_private.record_slow_requests(jsonb) is
  'Adds slow requests of a gateway to service.slow_request_shapes: [{hour (ms since the epoch), method, route, collection, filter, sort, '
  'include, requests, totalMs, slowest}]. Keeps the 100 shapes of each hour that took the most time, for 7 days.';
