-- Rows that another session holds locked are left for the next time: nothing waits for them.
create or replace function service_private.tend_jobs(worker_id text, asleep boolean, running uuid[], ms bigint) returns void
  language plpgsql volatile set jit = off as $$
begin
  update service.jobs j set locked_at = clock_timestamp()
  where j.ctid = any (array(
    select r.ctid
    from service.jobs r
    where r.id = any (running) and r.status = 'running' and r.locked_by = worker_id
    for update skip locked));
  update service.jobs j set status = case when j.attempts < j.max_attempts then 'pending' else 'failed' end,
    last_error = 'Its worker did not learn that it has it.', run_at = clock_timestamp(), locked_at = null, locked_by = null,
    updated_at = clock_timestamp()
  where j.ctid = any (array(
    select r.ctid
    from service.jobs r
    where r.status = 'running' and r.locked_by = worker_id and r.id <> all (running)
      and r.locked_at < clock_timestamp() - interval '1 minute'
    for update skip locked));
  perform service.job_reap(ms);
  perform service_private.rest_worker(worker_id, asleep);
end $$;

comment on function service_private.tend_jobs(text, boolean, uuid[], bigint) is
  'The heartbeat of a worker for what it runs. It takes back jobs whose workers are gone (service.job_reap), and those of its own of '
  'which it does not know: the answer to their claim was lost.';
