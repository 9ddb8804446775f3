create or replace function service_private.backup_schedule(definition jsonb) returns json
  language sql volatile
begin atomic
  select json_strip_nulls(json_build_object(
    'jobId', r.id, 'name', r.name, 'schedule', r.schedule, 'enabled', r.enabled,
    'disabledInCode', case when not (definition ->> 'enabled')::boolean then true end,
    'nextRunAt', service_private.iso_time(r.next_run_at),
    'lastRun', service_private.backup_run(r.id, false),
    'lastManualRun', service_private.backup_run(r.id, true)))
  from service_private.cron_job_rows(jsonb_build_array(definition)) r;
end;

comment on function service_private.backup_schedule(jsonb) is
  'The scheduled job {id, name, schedule, timezone, enabled} as the inventory of backups shows it: {jobId, name, schedule, enabled, '
  'disabledInCode, nextRunAt, lastRun, lastManualRun}; members without a value are absent. lastRun is the newest of all runs.';
