create or replace function service.job_reap(ms bigint) returns integer
  language plpgsql volatile set jit = off as $$
declare
  reaped integer;
begin
  with worker as materialized (
    select w.id, service_private.is_present(w.id) as present
    from (select distinct j.locked_by as id from service.jobs j where j.status = 'running') w
  ), lost as materialized (
    select j.ctid, w.*
    from worker w
    join service.jobs j on j.status = 'running' and j.locked_by = w.id
      and not coalesce(w.present, j.locked_at >= clock_timestamp() - ms * interval '1 millisecond')
    for update of j skip locked)
  update service.jobs j set status = case when j.attempts < j.max_attempts then 'pending' else 'failed' end,
    last_error = case when l.present is null then format('Its worker %s was not heard of for %s ms.', l.id, ms)
      else format('Its worker %s is gone.', l.id) end,
    run_at = clock_timestamp(), locked_at = null, locked_by = null, updated_at = clock_timestamp()
  from lost l
  where j.ctid = l.ctid;
  get diagnostics reaped = row_count;
  if reaped > 0 then
    perform service_private.ring_workers();
  end if;
  return reaped;
end $$;

comment on function service.job_reap(bigint) is
  'Takes jobs back from workers that are gone: from a gateway whose database session has ended, from others when they were not heard of '
  'for so many milliseconds. The jobs are due again, or have failed where that was their last attempt. How many.';

-- Example: select service.job_reap(60000);
