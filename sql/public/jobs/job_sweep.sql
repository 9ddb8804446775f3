-- Rows are locked before they go: without it one that is retried meanwhile would be deleted once the retry has committed.
create or replace function service.job_sweep(
  succeeded interval default '3 days', failed interval default '30 days', most integer default null) returns integer
  language plpgsql volatile set jit = off as $$
declare
  swept integer := 0;
begin
  if pg_try_advisory_xact_lock(7261947, 3) then
    delete from service.jobs j
    where j.id in (
      select o.id
      from service.jobs o
      where (o.status = 'succeeded' and o.updated_at < now() - succeeded) or (o.status = 'failed' and o.updated_at < now() - failed)
      limit most
      for update skip locked);
    get diagnostics swept = row_count;
  end if;
  return swept;
end $$;

comment on function service.job_sweep(interval, interval, integer) is
  'Deletes jobs that were over that long ago, at most so many where that is given. How many; none while another session is at it.';

-- Example: select service.job_sweep(interval '1 day');
