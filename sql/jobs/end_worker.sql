create or replace function service_private.end_worker(worker_id text) returns void
  language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(7261947, 2);
  delete from service.job_workers w where w.id = worker_id;
  perform service_private.publish_sleepers();
end $$;

comment on function service_private.end_worker(text) is 'A worker ends, and need not be told of jobs any more.';
