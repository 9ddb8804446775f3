create or replace function service_private.cron_job_records(definitions jsonb) returns json
  language sql volatile
begin atomic
  select coalesce(json_agg(json_strip_nulls(json_build_object(
      'id', r.id, 'name', r.name, 'description', r.description, 'schedule', r.schedule, 'timezone', r.timezone, 'enabled', r.enabled,
      'state', r.state, 'lastRunAt', service_private.iso_time(r.last_run_at), 'nextRunAt', service_private.iso_time(r.next_run_at),
      'lastDurationMs', r.last_duration_ms, 'lastError', r.last_error, 'totalRuns', r.total_runs, 'totalFailures', r.total_failures))
    order by r.id), '[]')
  from service_private.cron_job_rows(definitions) r;
end;

comment on function service_private.cron_job_records(jsonb) is
  'Scheduled jobs as the admin routes show them; members without a value are absent.';
