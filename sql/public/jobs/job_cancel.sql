create or replace function service.job_cancel(id uuid) returns boolean
  language plpgsql volatile as $$
begin
  update service.jobs j set status = 'failed', last_error = 'It was cancelled.', locked_at = null, locked_by = null,
    updated_at = clock_timestamp()
  where j.id = job_cancel.id and j.status in ('pending', 'running');
  if found then
    perform pg_notify('service_jobs', job_cancel.id::text);
  end if;
  return found;
end $$;

comment on function service.job_cancel(uuid) is
  'Has a job that waits or runs fail for good. A worker that runs it loses its claim, and is told. False where the job is over.';

-- Example: select service.job_cancel(id) from service.jobs where task = 'send-invoice' and status = 'pending';
