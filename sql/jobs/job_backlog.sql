-- Reads no job that succeeded: of those there may be millions, and this runs at every scrape.
create or replace function service_private.job_backlog()
returns table (task text, due integer, failed integer, waited double precision)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with counted as (
    select j.task, count(*) as due, 0 as failed, min(j.run_at) as oldest
    from service.jobs j
    where j.status = 'pending' and j.run_at <= now()
    group by j.task
    union all
    select j.task, 0, count(*), null
    from service.jobs j
    where j.status = 'failed'
    group by j.task
  ),
  placed as (
    select c.task, sum(c.due) as due, sum(c.failed) as failed, min(c.oldest) as oldest,
      row_number() over (order by sum(c.due) + sum(c.failed) desc, c.task) as place
    from counted c
    group by c.task
  )
  select case when p.place <= 100 then p.task else '(other)' end, sum(p.due)::integer, sum(p.failed)::integer,
    coalesce(extract(epoch from now() - min(p.oldest)), 0)::double precision
  from placed p
  group by 1
  order by 1;
end;

comment on function service_private.job_backlog() is
  'Jobs that are due, and that have failed for good, by task. waited: seconds for which the oldest of those due has been so. The hundred '
  'tasks with the most have a row each, all others one together, named (other).';
