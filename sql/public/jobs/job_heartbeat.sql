create or replace function service.job_heartbeat(id uuid, claim jsonb) returns boolean
  language sql volatile
begin atomic
  with heard as (
    update service.jobs j set locked_at = clock_timestamp() where j.id = job_heartbeat.id and service_private.holds_job(j, claim)
    returning 1)
  select exists (select from heard);
end;

comment on function service.job_heartbeat(uuid, jsonb) is
  'Renews the claim of a worker on a job. False where the claim {workerId, attempt} is gone: another worker may have the job.';

-- Example: select service.job_heartbeat(id, jsonb_build_object('workerId', locked_by, 'attempt', attempts)) from service.jobs;
