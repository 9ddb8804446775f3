create or replace function service.jobs_report() returns json
  language sql stable set jit = off
begin atomic
  select json_build_object(
    'tasks', coalesce((select json_agg(o order by o.task) from service.job_overview o), '[]'),
    'running', coalesce((
      select json_agg(json_build_object('id', j.id, 'task', j.task, 'attempt', j.attempts, 'worker', j.locked_by, 'since', j.updated_at)
        order by j.updated_at)
      from (select * from service.jobs where status = 'running' order by updated_at limit 20) j), '[]'),
    'next', coalesce((
      select json_agg(json_build_object('id', j.id, 'task', j.task, 'queue', j.queue, 'runAt', j.run_at, 'attempts', j.attempts,
          'lastError', j.last_error)
        order by j.run_at, j.place)
      from (select * from service.jobs where status = 'pending' order by run_at, place limit 20) j), '[]'),
    'failed', coalesce((
      select json_agg(json_build_object('id', j.id, 'task', j.task, 'at', j.updated_at, 'attempts', j.attempts, 'error', j.last_error)
        order by j.updated_at desc)
      from (select * from service.jobs where status = 'failed' order by updated_at desc limit 20) j), '[]'));
end;

comment on function service.jobs_report() is
  'How jobs fare: {tasks: rows of service.job_overview, running: [{id, task, attempt, worker, since}], next: [{id, task, queue, runAt, '
  'attempts, lastError}], failed: [{id, task, at, attempts, error}]}. next: those that wait, by when they are due; failed: for good, the '
  'newest first; of each at most twenty.';

-- Example: select service.jobs_report();
