create or replace function service.job_complete(id uuid, claim jsonb, result jsonb default null) returns boolean
  language sql volatile
begin atomic
  with done as (
    update service.jobs j set status = 'succeeded', result = job_complete.result, locked_at = null, locked_by = null,
      updated_at = clock_timestamp()
    where j.id = job_complete.id and service_private.holds_job(j, claim)
    returning 1)
  select exists (select from done);
end;

comment on function service.job_complete(uuid, jsonb, jsonb) is
  'A job is done, and this came of it. False where the claim {workerId, attempt} is gone.';

-- Example: select service.job_complete(id, jsonb_build_object('workerId', locked_by, 'attempt', attempts)) from service.jobs;
