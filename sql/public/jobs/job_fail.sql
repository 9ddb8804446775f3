create or replace function service.job_fail(id uuid, error text, retry_at timestamptz, claim jsonb) returns boolean
  language plpgsql volatile as $$
begin
  update service.jobs j set status = case when retry_at is null then 'failed' else 'pending' end, run_at = coalesce(retry_at, j.run_at),
    last_error = left(error, 4000), locked_at = null, locked_by = null, updated_at = clock_timestamp()
  where j.id = job_fail.id and service_private.holds_job(j, claim);
  if found and retry_at is not null then
    perform service_private.ring_workers();
    return true;
  end if;
  return found;
end $$;

comment on function service.job_fail(uuid, text, timestamptz, jsonb) is
  'An attempt at a job failed: it is due again then, or null has failed for good. False where the claim {workerId, attempt} is gone.';

-- Example: select service.job_fail(id, 'no route', now(), '{"workerId": "worker 1", "attempt": 1}') from service.jobs;
