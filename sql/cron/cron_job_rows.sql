create or replace function service_private.cron_job_rows(definitions jsonb)
  returns table (
    id text, name text, description text, schedule text, timezone text, enabled boolean, state text, last_run_at timestamptz,
    next_run_at timestamptz, last_duration_ms bigint, last_error text, total_runs bigint, total_failures bigint)
  language sql volatile
begin atomic
  select d.id, d.name, d.description, d.schedule, d.timezone, n.enabled,
    case when n.running then 'running' when not n.enabled then 'disabled' when n.slot is null then 'error' else 'idle' end,
    s.last_run_at, case when n.enabled then n.slot end, s.last_duration_ms,
    coalesce(s.last_error, case when n.slot is null then 'The schedule does not come due within four years.' end),
    coalesce(s.total_runs, 0), coalesce(s.total_failures, 0)
  from jsonb_to_recordset(definitions) d (
    id text, name text, description text, schedule text, timezone text, enabled boolean)
  left join service.cron_job_state s on s.job_id = d.id
  cross join lateral (
    select coalesce(s.enabled, d.enabled) as enabled, coalesce(service_private.holds_cron_lease(s), false) as running,
      service.cron_next(d.schedule, d.timezone, service_private.cron_now()) as slot
    offset 0) n
  order by d.id;
end;

comment on function service_private.cron_job_rows(jsonb) is
  'Scheduled jobs [{id, name, description, schedule, timezone, enabled}] with their state: the rows of service.cron_jobs.';
