create or replace function service_private.end_cron_run(job_id text, run_id uuid, outcome jsonb) returns json
  language plpgsql volatile set lock_timeout = '2s' as $$
declare
  state service.cron_job_state;
begin
  select s.* into state from service.cron_job_state s where s.job_id = end_cron_run.job_id and s.run_id = end_cron_run.run_id for update;
  return case when found then service_private.finish_cron_run(state, outcome) end;
end $$;

comment on function service_private.end_cron_run(text, uuid, jsonb) is
  'Ends a run and its lease. The run as a record; null where the lease is gone, and the run is in the log as failed already.';
