-- Each priority by itself, so that the index finds what is due of it. A job of a queue is next when none before it is unfinished and none
-- runs; two that are claimed at once, which do not see each other, meet in the unique index, and the later one looks again.
create or replace function service.job_claim(most integer, worker_id text, tasks text[]) returns setof service.jobs
  language plpgsql volatile as $$
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
          updated_at = clock_timestamp()
        where j.id = any (array(
          select due.id
          from level l
          cross join lateral (
            select d.id
            from service.jobs d
            where d.status = 'pending' and d.priority = l.priority and d.run_at <= clock_timestamp() and d.task = any (tasks)
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

comment on function service.job_claim(integer, text, text[]) is
  'Gives a worker jobs of these tasks that are due, at most so many, of one queue the next alone. They are its own until service.job_reap '
  'takes them back: with the claim {workerId, attempt} it says what became of them (service.job_complete, job_fail), and that it is still '
  'at work (job_heartbeat).';

-- Example: select id, task, payload from service.job_claim(10, 'worker 1', '{send-invoice}');
