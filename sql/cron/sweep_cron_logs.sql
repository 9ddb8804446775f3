create or replace function service_private.sweep_cron_logs(most integer default 1000) returns integer
  language sql volatile
begin atomic
  with swept as (
    delete from service.cron_logs
    where id in (
      select l.id
      from service.cron_job_state s
      cross join lateral (
        select n.started_at, n.id
        from service.cron_logs n where n.job_id = s.job_id order by n.started_at desc, n.id desc offset 49 limit 1) fiftieth
      join service.cron_logs l on l.job_id = s.job_id and (l.started_at, l.id) < (fiftieth.started_at, fiftieth.id)
        and l.started_at < service_private.cron_now() - interval '30 days'
      limit most)
    returning 1)
  select count(*)::integer from swept;
end;

comment on function service_private.sweep_cron_logs(integer) is
  'Deletes runs older than 30 days, except the newest 50 of each job, at most so many at once. How many.';
