create or replace function service_private.next_due(tasks text[], shares jsonb default null) returns timestamptz
  language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return (
    select min(due.run_at)
    from service_private.waiting_jobs(tasks, shares) w
    cross join lateral (
      select d.run_at
      from service.jobs d
      where d.status = 'pending' and d.task = w.task and d.concurrency_key = w.concurrency_key and d.priority = w.priority
        and (d.queue is null or service_private.is_next(d.id, d.queue, d.place))
      order by d.run_at, d.place
      limit 1) due);
end $$;

comment on function service_private.next_due(text[], jsonb) is
  'When the next job of these tasks comes due of which a worker with these shares (service_private.waiting_jobs) may claim one. It '
  'may be due already: another claim has it locked, which may leave it.';
