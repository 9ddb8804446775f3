-- Counts are added to those of the same minute: a gateway that was started again goes on where it ended.
create or replace function service_private.record_metrics(instance text, samples jsonb) returns void
  language sql volatile set search_path = pg_catalog, pg_temp
begin atomic
  insert into service.metric_samples as m (series, at, instance, value)
  select s.series, s.at, record_metrics.instance, case when c.is_count then sum(s.value) else avg(s.value) end
  from jsonb_to_recordset(samples) s (series text, at timestamptz, value double precision)
  cross join lateral (select s.series in ('requests_total', 'errors_total') as is_count) c
  group by s.series, s.at, c.is_count
  on conflict (series, at, instance) do update set value = excluded.value
    + case when excluded.series in ('requests_total', 'errors_total') then m.value else 0 end;
end;

comment on function service_private.record_metrics(text, jsonb) is
  'Writes numbers of a gateway: [{series, at, value}], at the begin of their minutes.';
