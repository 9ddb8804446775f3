create or replace function service_private.holds_cron_lease(state service.cron_job_state) returns boolean
  language sql volatile
  return (state).running_by is not null and coalesce(service_private.is_present((state).running_by), true)
    and coalesce((state).running_until > service_private.cron_now(), true);

comment on function service_private.holds_cron_lease(service.cron_job_state) is
  'Whether a run of the job is under way: until its lease is over, or the database session of its gateway.';
