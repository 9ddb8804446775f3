create or replace function service_private.waiting_jobs(tasks text[], shares jsonb default null)
  returns table (task text, concurrency_key text, priority integer, most integer)
  language sql stable rows 10
begin atomic
  select t.task, l.concurrency_key, l.priority, s.most
  from unnest(tasks) t (task)
  cross join lateral (
    with recursive level (concurrency_key, priority) as (
      (select p.concurrency_key, p.priority
      from service.jobs p
      where p.status = 'pending' and p.task = t.task
      order by p.concurrency_key desc, p.priority desc
      limit 1)
      union all
      select n.concurrency_key, n.priority
      from level l
      cross join lateral (
        select p.concurrency_key, p.priority
        from service.jobs p
        where p.status = 'pending' and p.task = t.task and (p.concurrency_key, p.priority) < (l.concurrency_key, l.priority)
        order by p.concurrency_key desc, p.priority desc
        limit 1) n)
    select l.concurrency_key, l.priority from level l) l
  cross join lateral (
    select coalesce((shares #>> array[t.task, 'left', l.concurrency_key])::integer, (shares #>> array[t.task, 'each'])::integer) as most) s
  where s.most is null or s.most > 0;
end;

comment on function service_private.waiting_jobs(text[], jsonb) is
  'The tasks of which jobs wait, with their concurrency keys and priorities: each by itself, so that the index finds what is due of it. '
  'shares: {task: {left: {key: how many more a worker may have}, each: of any other key}}; those with none left are left out. most: null '
  'without bounds.';
