create or replace function service_private.waiting_jobs(tasks text[]) returns table (task text, priority integer)
  language sql stable rows 10
begin atomic
  select t.task, l.priority
  from unnest(tasks) t (task)
  cross join lateral (
    with recursive level (priority) as (
      (select p.priority from service.jobs p where p.status = 'pending' and p.task = t.task order by p.priority desc limit 1)
      union all
      select (
        select p.priority
        from service.jobs p
        where p.status = 'pending' and p.task = t.task and p.priority < l.priority
        order by p.priority desc
        limit 1)
      from level l
      where l.priority is not null)
    select l.priority from level l where l.priority is not null) l;
end;

comment on function service_private.waiting_jobs(text[]) is
  'The tasks of which jobs wait, with their priorities: each by itself, so that the index finds what is due of it.';
