create or replace function service.job_claim(most integer, worker_id text, tasks text[]) returns setof service.jobs
  language sql volatile
begin atomic
  select *
  from service_private.claim_jobs(most, worker_id, coalesce((select jsonb_object_agg(t.task, null) from unnest(tasks) t (task)), '{}'));
end;

comment on function service.job_claim(integer, text, text[]) is
  'Gives a worker jobs of these tasks that are due, at most so many, of one queue the next alone. They are its own until service.job_reap '
  'takes them back: with the claim {workerId, attempt} it says what became of them (service.job_complete, job_fail), and that it is still '
  'at work (job_heartbeat).';

-- Example: select id, task, payload from service.job_claim(10, 'worker 1', '{send-invoice}');
