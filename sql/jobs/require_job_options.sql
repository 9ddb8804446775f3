-- Bounds that no use reaches: a delay of ten years, texts that fit into an index.
create or replace function service_private.require_job_options(options jsonb) returns void
  language plpgsql stable as $$
declare
  wrong text;
begin
  if options is null or jsonb_typeof(options) = 'null' then
    return;
  elsif jsonb_typeof(options) <> 'object' then
    perform service.fail(400, 'INVALID_INPUT', 'The options of a job are an object.');
  end if;
  select format('The option %s of a job is %s.', left(o.name, 100), coalesce(k.expected, 'unknown'))
    into wrong
  from jsonb_each(options) o (name, value)
  left join (values
    ('delayMs', 'a number from 0 to 315360000000'),
    ('runAt', 'a time, as in 2026-01-31T12:00:00Z'),
    ('maxAttempts', 'a whole number from 1 to 1000'),
    ('priority', 'a whole number from -1000000 to 1000000'),
    ('queue', 'a text of 1 to 255 characters'),
    ('idempotencyKey', 'a text of 1 to 255 characters')) k (name, expected) on k.name = o.name
  where k.name is null or (jsonb_typeof(o.value) <> 'null' and not case
    when o.name = 'delayMs' then jsonb_typeof(o.value) = 'number' and (o.value #>> '{}')::numeric between 0 and 315360000000
    when o.name = 'runAt' then jsonb_typeof(o.value) = 'string' and service_private.is_time(o.value #>> '{}')
    when o.name = 'maxAttempts' then service_private.is_whole(o.value, 1, 1000)
    when o.name = 'priority' then service_private.is_whole(o.value, -1000000, 1000000)
    else jsonb_typeof(o.value) = 'string' and length(o.value #>> '{}') between 1 and 255
  end)
  order by o.name
  limit 1;
  if wrong is not null then
    perform service.fail(400, 'INVALID_INPUT', wrong);
  elsif options ->> 'delayMs' is not null and options ->> 'runAt' is not null then
    perform service.fail(400, 'INVALID_INPUT', 'A job has delayMs or runAt, not both.');
  elsif starts_with(options ->> 'idempotencyKey', 'service.') or starts_with(options ->> 'queue', 'service.') then
    -- A job of the service with this key would not be made while this one waits, and one of this queue would wait behind it.
    perform service.fail(400, 'INVALID_INPUT', 'Idempotency keys and queues that begin with service. are the service''s own.');
  end if;
end $$;

comment on function service_private.require_job_options(jsonb) is
  'Nothing, or GW400 INVALID_INPUT for options that service.enqueue does not take.';
