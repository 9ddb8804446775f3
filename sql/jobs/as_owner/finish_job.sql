-- Called by the login that handlers run on, once it has left the role of requests: in the transaction of the handler, whose work is undone
-- with it where the claim is gone. The row's lock decides between this and service.job_reap or job_cancel.
create or replace function service_private.finish_job(id uuid, worker_id text, attempt integer, result jsonb) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update service.jobs j set status = 'succeeded', result = finish_job.result, locked_at = null, locked_by = null,
    updated_at = clock_timestamp()
  where j.id = finish_job.id and j.status = 'running' and j.locked_by = worker_id and j.attempts = attempt;
  if not found then
    raise exception using errcode = 'GW409', message = 'The claim on this job is gone.';
  end if;
end $$;


revoke all on function service_private.finish_job(uuid, text, integer, jsonb) from service_user;

comment on function service_private.finish_job(uuid, text, integer, jsonb) is
  'The handler of a job in SQL is done, and this came of it; GW409 where the claim is gone.';
