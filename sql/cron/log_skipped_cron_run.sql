create or replace function service_private.log_skipped_cron_run(job_id text, manual boolean) returns json
  language plpgsql volatile as $$
declare
  entry service.cron_logs;
begin
  insert into service.cron_logs (job_id, started_at, finished_at, duration_ms, success, result, manual)
  select log_skipped_cron_run.job_id, at, at, 0, true, '{"skipped": true, "reason": "already_executing"}', log_skipped_cron_run.manual
  from (select service_private.cron_now() as at offset 0) now
  returning * into entry;
  return service_private.cron_log_record(entry);
end $$;

comment on function service_private.log_skipped_cron_run(text, boolean) is
  'Writes down that a run did not begin because another one of the job is under way. It counts neither as a run nor as a failure.';
