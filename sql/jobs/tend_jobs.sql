create or replace function service_private.tend_jobs(worker_id text, asleep boolean, running uuid[], ms bigint) returns void
  language plpgsql volatile set jit = off as $$
begin
  update service.jobs j set locked_at = clock_timestamp()
  where j.id = any (running) and j.status = 'running' and j.locked_by = worker_id;
  perform service.job_reap(ms);
  perform service_private.rest_worker(worker_id, asleep);
end $$;

comment on function service_private.tend_jobs(text, boolean, uuid[], bigint) is
  'The heartbeat of a worker for what it runs; with it, it takes back jobs whose workers are gone (service.job_reap).';
