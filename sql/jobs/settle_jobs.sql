-- A row that another session holds locked would keep the worker waiting, with all that it has claimed since.
create or replace function service_private.settle_jobs(
  settled jsonb, out held uuid[], out locked uuid[], out queues text[], out gave_back boolean)
  language plpgsql volatile as $$
begin
  held := '{}';
  locked := '{}';
  if settled = '[]' then
    return;
  end if;
  with told as materialized (
    select j.ctid, s.*
    from jsonb_to_recordset(settled) s (
      id uuid, worker text, attempt integer, status text, result jsonb, error text, wait double precision, back boolean)
    join service.jobs j on j.id = s.id and j.status = 'running' and j.locked_by = s.worker and j.attempts = s.attempt
    for update of j skip locked
  ), over as (
    update service.jobs j set status = t.status, result = t.result, last_error = coalesce(left(t.error, 4000), j.last_error),
      run_at = coalesce(clock_timestamp() + t.wait * interval '1 millisecond', j.run_at),
      attempts = j.attempts - case when t.back then 1 else 0 end, locked_at = null, locked_by = null, updated_at = clock_timestamp()
    from told t
    where j.ctid = t.ctid
    returning j.id, j.queue, t.back)
  select coalesce(array_agg(o.id), '{}'), array_agg(distinct o.queue) filter (where o.queue is not null), bool_or(o.back)
    into held, queues, gave_back
  from over o;
  if cardinality(held) < jsonb_array_length(settled) then
    locked := array(
      select j.id
      from jsonb_to_recordset(settled) s (id uuid, worker text, attempt integer)
      join service.jobs j on j.id = s.id and j.status = 'running' and j.locked_by = s.worker and j.attempts = s.attempt);
  end if;
end $$;

comment on function service_private.settle_jobs(jsonb) is
  'A worker says what became of jobs: [{id, worker, attempt, status, result, error, wait, back}]. status: succeeded, failed, or pending '
  'to be tried again, after wait (ms) if that is given; back: it gives the job back, as if it had not been begun. held: the ids of those '
  'that were its own; queues: theirs; gave_back: whether it gave one back; locked: of those of which it has to tell again, because '
  'another session has them locked. Others are left alone: their claim is gone.';
