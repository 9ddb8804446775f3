create or replace function service.job_heartbeat(id uuid, claim jsonb) returns boolean
  language sql volatile
begin atomic
  with heard as (
    update service.jobs j set locked_at = clock_timestamp() where j.id = job_heartbeat.id and service.holds_job(j, claim)
    returning 1)
  select exists (select from heard);
end;

comment on function service.job_heartbeat(uuid, jsonb) is
  'A worker is still at work on a job. False where the claim {workerId, attempt} is gone: somebody else may be.';

revoke all on function service.job_heartbeat(uuid, jsonb) from public;
