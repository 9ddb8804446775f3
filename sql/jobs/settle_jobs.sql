-- A row that another session holds locked would keep the worker waiting, with all that it has claimed since. Arrays carry the parts that
-- every job has: read from documents they take several times as long. Each job is looked up by its id: where hardly any ran when the table
-- was last analyzed, the planner would read all that run for each of them.
create or replace function service_private.settle_jobs(
  ids uuid[], workers text[], attempts integer[], outcomes jsonb[],
  out gone uuid[], out locked uuid[], out queues text[], out gave_back boolean)
  language plpgsql volatile as $$
declare
  held uuid[];
begin
  gone := '{}';
  locked := '{}';
  if ids = '{}' then
    return;
  end if;
  with told as materialized (
    select j.ctid, s.outcome, coalesce((s.outcome -> 'back')::boolean, false) as back
    from unnest(ids, workers, settle_jobs.attempts, outcomes) s (id, worker, attempt, outcome)
    cross join lateral (
      select j.ctid, j.status, j.locked_by, j.attempts
      from service.jobs j
      where j.id = s.id
      limit 1
      for update skip locked) j
    where j.status = 'running' and j.locked_by = s.worker and j.attempts = s.attempt
  ), over as (
    update service.jobs j set status = coalesce(t.outcome ->> 'status', 'succeeded'), result = t.outcome -> 'result',
      last_error = coalesce(left(t.outcome ->> 'error', 4000), j.last_error),
      run_at = coalesce(clock_timestamp() + (t.outcome -> 'wait')::double precision * interval '1 millisecond', j.run_at),
      attempts = j.attempts - t.back::integer, locked_at = null, locked_by = null, updated_at = clock_timestamp()
    from told t
    where j.ctid = t.ctid
    returning j.id, j.queue, t.back)
  select coalesce(array_agg(o.id), '{}'), array_agg(distinct o.queue) filter (where o.queue is not null), bool_or(o.back)
    into held, queues, gave_back
  from over o;
  if cardinality(held) < cardinality(ids) then
    locked := array(
      select j.id
      from unnest(ids, workers, settle_jobs.attempts) s (id, worker, attempt)
      join service.jobs j on j.id = s.id and j.status = 'running' and j.locked_by = s.worker and j.attempts = s.attempt);
    gone := array(select unnest(ids) except select unnest(held || locked));
  end if;
end $$;

comment on function service_private.settle_jobs(uuid[], text[], integer[], jsonb[]) is
  'A worker says what became of jobs that it has claimed: {status, result, error, wait, back}, null where one succeeded without a result. '
  'status: succeeded, failed, or pending to be tried again, after wait (ms) if that is given; back: it gives the job back, as if it had '
  'not been begun. gone: the ids of those of which its claim is gone, which are left alone; locked: of those of which it has to tell '
  'again, because another session has them locked; queues: of the others; gave_back: whether it gave one back.';
