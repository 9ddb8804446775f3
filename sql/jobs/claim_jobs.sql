-- Each priority by itself, so that the index finds what is due of it. A job of a queue is next when none before it is unfinished and none
-- runs; two that are claimed at once, which do not see each other, meet in the unique index, and the later one looks again.
create or replace function service_private.claim_jobs(most integer, worker_id text, tasks jsonb) returns setof service.jobs
  language plpgsql volatile as $$
declare
  names constant text[] := array(select jsonb_object_keys(tasks));
begin
  for tries in 1 .. 10 loop
    begin
      return query
        with recursive level as (
          (select p.priority from service.jobs p where p.status = 'pending' order by p.priority desc limit 1)
          union all
          select (
            select p.priority from service.jobs p where p.status = 'pending' and p.priority < l.priority order by p.priority desc limit 1)
          from level l
          where l.priority is not null)
        update service.jobs j set status = 'running', attempts = j.attempts + 1, locked_at = clock_timestamp(), locked_by = worker_id,
          max_attempts = coalesce(j.max_attempts, (tasks ->> j.task)::integer, 3), updated_at = clock_timestamp()
        where j.id = any (array(
          select due.id
          from level l
          cross join lateral (
            select d.id
            from service.jobs d
            where d.status = 'pending' and d.priority = l.priority and d.run_at <= clock_timestamp() and d.task = any (names)
              and not (d.queue is not null and exists (
                select from service.jobs e
                where e.queue = d.queue and e.id <> d.id and (e.status = 'running' or (e.status = 'pending' and e.place < d.place))))
            order by d.run_at, d.place
            limit most
            for update skip locked) due
          limit most))
        returning j.*;
      return;
    exception when unique_violation then
      continue;
    end;
  end loop;
end $$;

comment on function service_private.claim_jobs(integer, text, jsonb) is
  'service.job_claim, of tasks with the attempts that each has where its enqueuer named none: {task: attempts or null}.';
