create or replace function service_private.job_turn(
  worker_id text, ids uuid[], workers text[], attempts integer[], outcomes jsonb[], wanted jsonb, asleep boolean) returns json
  language plpgsql volatile set jit = off as $$
declare
  names constant text[] := array(
    select distinct t.name from jsonb_array_elements(wanted) w (claim) cross join lateral jsonb_object_keys(w.claim -> 'tasks') t (name));
  told record;
  claimed json;
  number bigint := 0;
  due timestamptz;
  enqueuing boolean := false;
begin
  select * into told from service_private.settle_jobs(ids, workers, attempts, outcomes);
  if names <> '{}' then
    -- Before the claim: an enqueuer that is gone by then has committed, and its job is found.
    if asleep then
      enqueuing := exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = 7261947 and l.objid = 1 and l.objsubid = 2
          and l.database = (select d.oid from pg_database d where d.datname = current_database()));
    end if;
    select count(*), json_build_object('id', array_agg(j.id), 'task', array_agg(j.task), 'payload', array_agg(j.payload::text),
      'attempt', array_agg(j.attempts), 'maxAttempts', array_agg(j.max_attempts), 'createdAt', array_agg(j.created_at),
      'concurrencyKey', array_agg(j.concurrency_key))
      into number, claimed
    from jsonb_to_recordset(wanted) w (tasks jsonb, most integer, shares jsonb)
    cross join lateral service_private.claim_jobs(w.most, worker_id, w.tasks, w.shares) j;
    if number < (select sum(w.most) from jsonb_to_recordset(wanted) w (most integer)) then
      due := service_private.next_due(names, wanted -> 0 -> 'shares');
    end if;
  end if;
  if told.gave_back or exists (
    select from service.jobs n
    where n.queue = any (told.queues) and n.status = 'pending'
      and not exists (select from service.jobs r where r.queue = n.queue and r.status = 'running')) then
    perform service_private.ring_workers(); -- others may have a place, or do that task
  end if;
  return json_build_object('gone', told.gone, 'locked', told.locked, 'claimed', case when number > 0 then claimed end,
    'next', case when due is not null then greatest(0, ceil(extract(epoch from due - clock_timestamp()) * 1000)) end,
    'enqueuing', enqueuing);
end $$;

comment on function service_private.job_turn(text, uuid[], text[], integer[], jsonb[], jsonb, boolean) is
  'A turn of a worker: it says what became of jobs (service_private.settle_jobs) and makes claims one after the other, each of at most so '
  'many of some tasks: [{tasks, most, shares}] (service_private.claim_jobs), all with the same shares. {gone, locked, claimed, next, '
  'enqueuing}. claimed: null without any, else {id, task, payload as text, attempt, maxAttempts, createdAt, concurrencyKey}, each a '
  'list with an item a job; next: where fewer were due than it asked for, milliseconds until one comes due; enqueuing: whether '
  'transactions under way may bring some without ringing, for a worker that sleeps.';
