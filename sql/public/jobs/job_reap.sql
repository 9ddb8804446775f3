create or replace function service.job_reap(ms bigint) returns integer
  language sql volatile
begin atomic
  with reaped as (
    update service.jobs j set status = case when j.attempts < j.max_attempts then 'pending' else 'failed' end,
      last_error = format('Its worker %s was not heard of for %s ms.', j.locked_by, ms), run_at = clock_timestamp(),
      locked_at = null, locked_by = null, updated_at = clock_timestamp()
    where j.status = 'running' and j.locked_at < clock_timestamp() - ms * interval '1 millisecond'
    returning 1)
  select count(*)::integer from reaped;
end;

comment on function service.job_reap(bigint) is
  'Takes jobs back from workers that were not heard of for so many milliseconds: they are due again, or have failed where that was their '
  'last attempt. How many.';

-- Example: select service.job_reap(60000);
