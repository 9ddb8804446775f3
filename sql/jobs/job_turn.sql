create or replace function service_private.job_turn(worker_id text, settled jsonb, wanted jsonb, asleep boolean) returns json
  language plpgsql volatile set jit = off as $$
declare
  names constant text[] := array(
    select distinct t.name from jsonb_array_elements(wanted) w (claim) cross join lateral jsonb_object_keys(w.claim -> 'tasks') t (name));
  told record;
  claimed json;
  due timestamptz;
  enqueuing boolean := false;
begin
  select * into told from service_private.settle_jobs(settled);
  if names <> '{}' then
    -- Before the claim: an enqueuer that is gone by then has committed, and its job is found.
    if asleep then
      enqueuing := exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = 7261947 and l.objid = 1 and l.objsubid = 2
          and l.database = (select d.oid from pg_database d where d.datname = current_database()));
    end if;
    select json_agg(json_build_array(j.id, j.task, j.payload::text, j.attempts, j.max_attempts, j.created_at, j.concurrency_key))
      into claimed
    from jsonb_to_recordset(wanted) w (tasks jsonb, most integer, shares jsonb)
    cross join lateral service_private.claim_jobs(w.most, worker_id, w.tasks, w.shares) j;
    if coalesce(json_array_length(claimed), 0) < (select sum(w.most) from jsonb_to_recordset(wanted) w (most integer)) then
      due := service_private.next_due(names, wanted -> 0 -> 'shares');
    end if;
  end if;
  if told.gave_back or exists (
    select from service.jobs n
    where n.queue = any (told.queues) and n.status = 'pending'
      and not exists (select from service.jobs r where r.queue = n.queue and r.status = 'running')) then
    perform service_private.ring_workers(); -- others may have a place, or do that task
  end if;
  return json_build_object('held', told.held, 'locked', told.locked, 'claimed', coalesce(claimed, '[]'),
    'next', case when due is not null then greatest(0, ceil(extract(epoch from due - clock_timestamp()) * 1000)) end,
    'enqueuing', enqueuing);
end $$;

comment on function service_private.job_turn(text, jsonb, jsonb, boolean) is
  'A turn of a worker: it says what became of jobs (service_private.settle_jobs) and makes claims one after the other, each of at most so '
  'many of some tasks: [{tasks, most, shares}] (service_private.claim_jobs), all with the same shares. {held, locked, claimed: [[id, task, '
  'payload as text, attempt, maxAttempts, createdAt, concurrencyKey]], next, enqueuing}. next: where fewer were due than it asked for, '
  'milliseconds until one comes due; enqueuing: whether transactions under way may bring some without ringing, for a worker that sleeps.';
