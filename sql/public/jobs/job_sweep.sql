create or replace function service.job_sweep(succeeded interval default '3 days', failed interval default '30 days') returns integer
  language sql volatile
begin atomic
  with swept as (
    delete from service.jobs j
    where (j.status = 'succeeded' and j.updated_at < now() - succeeded) or (j.status = 'failed' and j.updated_at < now() - failed)
    returning 1)
  select count(*)::integer from swept;
end;

comment on function service.job_sweep(interval, interval) is 'Deletes jobs that were over that long ago. How many.';

-- Example: select service.job_sweep(interval '1 day');
