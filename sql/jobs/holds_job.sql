create or replace function service_private.holds_job(job service.jobs, claim jsonb) returns boolean
  language sql immutable
  return (job).status = 'running' and (job).locked_by = claim ->> 'workerId' and (job).attempts = (claim ->> 'attempt')::integer;

comment on function service_private.holds_job(service.jobs, jsonb) is
  'Whether a job is still that of the worker and the attempt of a claim.';
