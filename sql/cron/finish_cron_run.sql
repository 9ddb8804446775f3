create or replace function service_private.finish_cron_run(state service.cron_job_state, outcome jsonb) returns json
  language plpgsql volatile as $$
declare
  entry service.cron_logs;
  began constant timestamptz := coalesce(state.run_started_at, service_private.cron_now());
begin
  insert into service.cron_logs (job_id, started_at, finished_at, duration_ms, success, error, result, logs, manual)
  select state.job_id, began, ended, extract(epoch from ended - began) * 1000, (outcome ->> 'success')::boolean, outcome ->> 'error',
    nullif(outcome -> 'result', 'null'), coalesce(outcome -> 'logs', '[]'), coalesce(state.run_manual, false)
  from (select greatest(service_private.cron_now(), began) as ended offset 0) now
  returning * into entry;
  update service.cron_job_state s set running_until = null, running_by = null, run_id = null, run_started_at = null, run_manual = null,
    total_runs = s.total_runs + 1, total_failures = s.total_failures + case when entry.success then 0 else 1 end,
    last_run_at = entry.started_at, last_duration_ms = entry.duration_ms, last_error = entry.error
  where s.job_id = state.job_id;
  return service_private.cron_log_record(entry);
end $$;

comment on function service_private.finish_cron_run(service.cron_job_state, jsonb) is
  'Writes down how the run of a lease ended (outcome: {success, error, result, logs}) and ends the lease. The run as a record.';
