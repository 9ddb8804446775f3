create or replace function service_private.job_turn(worker_id text, settled jsonb, most integer, tasks jsonb, asleep boolean) returns json
  language plpgsql volatile set jit = off as $$
declare
  names constant text[] := array(select jsonb_object_keys(tasks));
  held uuid[] := '{}';
  claimed json;
  due timestamptz;
  enqueuing boolean := false;
begin
  if settled <> '[]' then
    held := service_private.settle_jobs(settled);
  end if;
  -- Before the claim: an enqueuer that is gone by then has committed, and its job is found.
  if asleep and most > 0 then
    enqueuing := exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.classid = 7261947 and l.objid = 1 and l.objsubid = 2
        and l.database = (select d.oid from pg_database d where d.datname = current_database()));
  end if;
  if most > 0 then
    select json_agg(json_build_object('id', j.id, 'task', j.task, 'payload', j.payload::text, 'attempt', j.attempts,
        'maxAttempts', j.max_attempts, 'createdAt', j.created_at))
      into claimed
    from service_private.claim_jobs(most, worker_id, tasks) j;
    if coalesce(json_array_length(claimed), 0) < most then
      due := service_private.next_due(names);
    end if;
  end if;
  return json_build_object('held', held, 'claimed', coalesce(claimed, '[]'),
    'next', case when due is not null then greatest(0, ceil(extract(epoch from due - clock_timestamp()) * 1000)) end,
    'enqueuing', enqueuing);
end $$;

comment on function service_private.job_turn(text, jsonb, integer, jsonb, boolean) is
  'A turn of a worker: it says what became of jobs (service_private.settle_jobs) and claims at most so many of these tasks '
  '(service_private.claim_jobs). {held: the ids of those that were still its own, claimed: jobs, next, enqueuing}. next: where '
  'fewer were due than it asked for, milliseconds until one comes due; enqueuing: whether transactions under way may bring some without '
  'ringing, for a worker that sleeps.';
