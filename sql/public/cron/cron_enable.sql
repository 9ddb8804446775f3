create or replace function service.cron_enable(id text, enabled boolean, updated_by text default session_user) returns boolean
  language sql volatile
begin atomic
  with kept as (
    insert into service.cron_job_state (job_id, enabled, updated_at, updated_by)
    select d.job_id, cron_enable.enabled, service_private.cron_now(), cron_enable.updated_by
    from service.cron_definitions d where d.job_id = cron_enable.id
    on conflict (job_id) do update set enabled = excluded.enabled, updated_at = excluded.updated_at, updated_by = excluded.updated_by
    returning 1)
  select exists (select from kept);
end;

comment on function service.cron_enable(text, boolean, text) is
  'Pauses a scheduled job (false), has it run again (true), or lets its definition decide (null), at every gateway. A run that is under '
  'way goes on. False where no gateway has such a job.';

-- Example: select service.cron_enable('nightly', false);
