create or replace function service_private.settle_jobs(settled jsonb) returns uuid[]
  language plpgsql volatile as $$
declare
  held uuid[];
begin
  with over as (
    update service.jobs j set status = s.status, result = s.result, last_error = coalesce(left(s.error, 4000), j.last_error),
      run_at = case when s.status = 'pending' then clock_timestamp() + s.wait * interval '1 millisecond' else j.run_at end,
      attempts = j.attempts - case when s.back then 1 else 0 end, locked_at = null, locked_by = null, updated_at = clock_timestamp()
    from jsonb_to_recordset(settled) s (
      id uuid, worker text, attempt integer, status text, result jsonb, error text, wait double precision, back boolean)
    where j.id = s.id and j.status = 'running' and j.locked_by = s.worker and j.attempts = s.attempt
    returning j.id)
  select array_agg(o.id) into held from over o;
  return coalesce(held, '{}');
end $$;

comment on function service_private.settle_jobs(jsonb) is
  'A worker says what became of jobs: [{id, worker, attempt, status, result, error, wait, back}]. status: succeeded, failed, or pending '
  'to be tried again after wait (ms); back: it gives the job back, as if it had not been begun. Those whose claim is gone are left '
  'alone. The ids of the others.';
