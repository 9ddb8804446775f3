-- The text is put together by hand, in the order of the subquery. Measured on 20160 points, beside 19 ms for the sums: json_agg 30 ms;
-- || of texts, with to_json for the time, 26 ms; concat, the same, 20 ms; concat of date and time, 15 ms.
create or replace function service_private.history_text(series text, minutes integer) returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp set jit = off set timezone = 'UTC' set datestyle = 'ISO' as $$
begin
  if series in ('cpu_millicores', 'memory_bytes', 'requests_total', 'errors_total', 'event_loop_delay_ms') is not true then
    perform service.fail(400, 'INVALID_PARAM',
      'A series is cpu_millicores, memory_bytes, requests_total, errors_total or event_loop_delay_ms.');
  end if;
  minutes := greatest(1, least(coalesce(minutes, 60), 20160));
  return concat('{"series":"', series, '","minutes":', minutes, ',"points":[', (
    select string_agg(
      concat('{"at":"', p.at::date, 'T', p.at::time, '.000Z","value":', p.value, ',"instances":', p.instances, '}'), ',')
    from (
      select m.at, sum(m.value) / case when history_text.series = 'event_loop_delay_ms' then count(*) else 1 end as value,
        count(*) as instances
      from service.metric_samples m
      where m.series = history_text.series and m.at > now() - history_text.minutes * interval '1 minute'
      group by m.at
      order by m.at) p), ']}');
end $$;

comment on function service_private.history_text(text, integer) is
  'The JSON of service.metric_history, as text: /metrics/history sends it as it is, for to read 14 days once more as JSON takes a third of '
  'the time that writing them does. GW400 INVALID_PARAM for another series.';
