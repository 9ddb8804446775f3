create or replace function service_private.next_due(tasks text[]) returns timestamptz
  language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  at constant timestamptz := clock_timestamp();
begin
  return (
    select min(due.run_at)
    from service_private.waiting_priorities() l
    cross join lateral (
      select d.run_at
      from service.jobs d
      where d.status = 'pending' and d.priority = l.priority and d.run_at > at and d.task = any (tasks)
      order by d.run_at
      limit 1) due);
end $$;

comment on function service_private.next_due(text[]) is 'When the next job of these tasks that is not due yet comes due.';
