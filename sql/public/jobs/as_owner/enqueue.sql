create or replace function service.enqueue(task text, payload jsonb default '{}', options jsonb default '{}') returns uuid
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if task is null or length(task) not between 1 and 255 or starts_with(task, 'service.') then
    perform service.fail(400, 'INVALID_INPUT',
      'A task has a name of at most 255 characters, and those that begin with service. are the service''s own.');
  end if;
  if options <> '{}' or options is null then
    perform service_private.require_job_options(options);
  end if;
  return service_private.put_job(task, payload, options);
end $$;

comment on function service.enqueue(text, jsonb, jsonb) is
  'Has a task done when the transaction has committed, and not if it is rolled back. options: {delayMs or runAt, maxAttempts (3), '
  'idempotencyKey, priority (0, larger ones first), queue}. Jobs of one queue run one at a time, in the order of their enqueueing; one '
  'that has to be tried again holds back its own queue only. The id of the job; null while a job with this key is not over. GW400 '
  'INVALID_INPUT.';

grant execute on function service.enqueue(text, jsonb, jsonb) to service_user;

-- Example: select service.enqueue('send-invoice', '{"order": 7}', '{"maxAttempts": 5}');
