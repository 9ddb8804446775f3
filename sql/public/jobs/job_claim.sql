create or replace function service.job_claim(most integer, worker_id text, tasks text[]) returns setof service.jobs
  language sql volatile
begin atomic
  update service.jobs j set status = 'running', attempts = j.attempts + 1, locked_at = clock_timestamp(), locked_by = worker_id,
    updated_at = clock_timestamp()
  where j.id = any (array(
    select d.id
    from service.jobs d
    where d.status = 'pending' and d.run_at <= clock_timestamp() and d.task = any (tasks)
    order by d.run_at, d.created_at
    limit most
    for update skip locked))
  returning j.*;
end;

comment on function service.job_claim(integer, text, text[]) is
  'Gives a worker jobs of these tasks that are due, at most so many. They are its own until service.job_reap takes them back: with the '
  'claim {workerId, attempt} it says what became of them (service.job_complete, job_fail), and that it is still at work (job_heartbeat).';

-- Example: select id, task, payload from service.job_claim(10, 'worker 1', '{send-invoice}');
