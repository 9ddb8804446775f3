-- Two jobs of a queue that are claimed at once, which do not see each other, meet in the unique index, and the later one looks again. The
-- statement is planned once, as walks along the index: planned for each number of jobs it takes longer than to run, and planned while there
-- are few jobs it would read them all when there are many.
create or replace function service_private.claim_jobs(most integer, worker_id text, tasks jsonb, shares jsonb default null)
  returns setof service.jobs
  language plpgsql volatile set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  names constant text[] := array(select jsonb_object_keys(tasks));
  at constant timestamptz := clock_timestamp();
begin
  for tries in 1 .. 10 loop
    begin
      return query
        with due as materialized (
          select d.ctid
          from service_private.waiting_jobs(names, shares) w
          cross join lateral (
            select d.ctid, d.priority, d.run_at, d.place
            from service.jobs d
            where d.status = 'pending' and d.task = w.task and d.concurrency_key = w.concurrency_key and d.priority = w.priority
              and d.run_at <= at
              and (d.queue is null or service_private.is_next(d.id, d.queue, d.place))
            order by d.run_at, d.place
            limit least(claim_jobs.most, w.most)
            for update skip locked) d
          order by d.priority desc, d.run_at, d.place
          limit claim_jobs.most)
        update service.jobs j set status = 'running', attempts = j.attempts + 1, locked_at = at, locked_by = worker_id,
          max_attempts = coalesce(j.max_attempts, (tasks ->> j.task)::integer, 3), updated_at = at
        from due
        where j.ctid = due.ctid
        returning j.*;
      return;
    exception when unique_violation then
      continue;
    end;
  end loop;
end $$;

comment on function service_private.claim_jobs(integer, text, jsonb, jsonb) is
  'service.job_claim, of tasks with the attempts that each has where its enqueuer named none: {task: attempts or null}. '
  'shares: bounds of those with one concurrency key (service_private.waiting_jobs).';
