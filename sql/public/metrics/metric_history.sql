create or replace function service.metric_history(series text, minutes integer default 60) returns json
  language sql stable set search_path = pg_catalog, pg_temp
  return service_private.history_text(series, minutes)::json;

comment on function service.metric_history(text, integer) is
  'The history of a series, by minutes, of all gateways: cpu_millicores, memory_bytes, requests_total (requests that ended in that '
  'minute), errors_total (those of them with a status of 500 or more), sums; event_loop_delay_ms, an average. minutes: 1 to 20160, as far '
  'back. {series, minutes, points: [{at, value, instances}]}, the oldest point first. GW400 INVALID_PARAM for another series.';

-- Example: select service.metric_history('requests_total', 15);
