-- Numbers are read as numeric: 5.0 is whole, and 1e-400 is no double precision. Options and a key that may be taken cost a fifth of the
-- insert without them.
create or replace function service_private.put_job(task text, payload jsonb, options jsonb default '{}') returns uuid
  language plpgsql volatile as $$
#variable_conflict use_column
declare
  put uuid;
begin
  if service_private.ring_workers() then end if;
  if options = '{}' then
    insert into service.jobs (task, payload) values (put_job.task, coalesce(put_job.payload, '{}')) returning id into put;
    return put;
  end if;
  insert into service.jobs (task, payload, priority, queue, run_at, max_attempts, idempotency_key, concurrency_key)
  values (put_job.task, coalesce(put_job.payload, '{}'), coalesce((options ->> 'priority')::numeric::integer, 0), options ->> 'queue',
    coalesce((options ->> 'runAt')::timestamptz,
      now() + coalesce(round((options ->> 'delayMs')::numeric, 3), 0) * interval '1 millisecond'),
    (options ->> 'maxAttempts')::numeric::integer, options ->> 'idempotencyKey',
    coalesce(options ->> 'concurrencyKey', ''))
  on conflict (idempotency_key) where status in ('pending', 'running') and idempotency_key is not null do nothing
  returning id into put;
  return put;
end $$;

comment on function service_private.put_job(text, jsonb, jsonb) is
  'service.enqueue for tasks of the service too. The options are taken as service_private.require_job_options has them, and '
  'concurrencyKey.';
