create or replace function service.job_cancel(id uuid) returns boolean
  language sql volatile
begin atomic
  with cancelled as (
    update service.jobs j set status = 'failed', last_error = 'It was cancelled.', locked_at = null, locked_by = null,
      updated_at = clock_timestamp()
    where j.id = job_cancel.id and j.status in ('pending', 'running')
    returning 1)
  select exists (select from cancelled);
end;

comment on function service.job_cancel(uuid) is
  'Has a job that waits or runs fail for good. A worker that runs it has lost its claim. False where the job is over.';

-- Example: select service.job_cancel(id) from service.jobs where task = 'send-invoice' and status = 'pending';
