create or replace function service_private.next_due(tasks text[]) returns timestamptz
  language plpgsql stable as $$
begin
  return (
    with recursive level as (
      (select p.priority from service.jobs p where p.status = 'pending' order by p.priority desc limit 1)
      union all
      select (
        select p.priority from service.jobs p where p.status = 'pending' and p.priority < l.priority order by p.priority desc limit 1)
      from level l
      where l.priority is not null)
    select min(due.run_at)
    from level l
    cross join lateral (
      select d.run_at
      from service.jobs d
      where d.status = 'pending' and d.priority = l.priority and d.run_at > clock_timestamp() and d.task = any (tasks)
      order by d.run_at
      limit 1) due);
end $$;

comment on function service_private.next_due(text[]) is 'When the next job of these tasks that is not due yet comes due.';
