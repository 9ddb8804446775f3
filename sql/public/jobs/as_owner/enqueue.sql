create or replace function service.enqueue(task text, payload jsonb default '{}', options jsonb default '{}') returns uuid
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if task is null or task = '' or starts_with(task, 'service.') then
    perform service.fail(400, 'INVALID_INPUT', 'A task has a name, and those that begin with service. are the service''s own.');
  elsif (options ->> 'maxAttempts')::integer < 1 then
    perform service.fail(400, 'INVALID_INPUT', 'A job has one attempt at least.');
  elsif starts_with(options ->> 'idempotencyKey', 'service.') then
    -- A job of the service with this key would not be made while this one waits.
    perform service.fail(400, 'INVALID_INPUT', 'Idempotency keys that begin with service. are the service''s own.');
  end if;
  return service_private.put_job(task, payload, options);
end $$;

comment on function service.enqueue(text, jsonb, jsonb) is
  'Has a task done when the transaction has committed, and not if it is rolled back. options: {delayMs, maxAttempts (3), idempotencyKey}. '
  'The id of the job; null while a job with this key is not over. GW400 INVALID_INPUT.';

grant execute on function service.enqueue(text, jsonb, jsonb) to service_user;

-- Example: select service.enqueue('send-invoice', '{"order": 7}', '{"maxAttempts": 5}');
