create or replace function service_private.cron_slots(jobs jsonb) returns table (id text, slot timestamptz)
  language sql volatile
begin atomic
  select j.value ->> 'id',
    service.cron_next(j.value ->> 'schedule', j.value ->> 'timezone',
      coalesce((j.value ->> 'after')::timestamptz, service_private.cron_now()))
  from jsonb_array_elements(jobs) j;
end;

comment on function service_private.cron_slots(jsonb) is
  'The next slot of each job [{id, schedule, timezone, after}], by default after the present moment; null where there is none.';
