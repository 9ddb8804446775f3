create or replace function service.job_retry(id uuid) returns boolean
  language plpgsql volatile as $$
begin
  perform service_private.ring_workers();
  update service.jobs j set status = 'pending', attempts = 0, run_at = now(), place = default, updated_at = clock_timestamp()
  where j.id = job_retry.id and j.status = 'failed';
  return found;
end $$;

comment on function service.job_retry(uuid) is
  'Has a job that failed for good tried again, with all its attempts; in its queue it comes last. False where it has not failed; 23505 '
  'where another job with its key is not over.';

-- Example: select service.job_retry(id) from service.jobs where status = 'failed';
