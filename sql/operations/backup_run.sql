create or replace function service_private.backup_run(job_id text, by_hand boolean) returns json
  language sql stable
begin atomic
  select json_build_object(
    'startedAt', service_private.iso_time(l.started_at), 'finishedAt', service_private.iso_time(l.finished_at),
    'success', l.success, 'error', l.error, 'manual', l.manual)
  from service.cron_logs l
  where l.job_id = backup_run.job_id and (l.manual or not by_hand)
  order by l.started_at desc, l.id desc
  limit 1;
end;

comment on function service_private.backup_run(text, boolean) is
  'The newest run of a scheduled job, by hand or any: {startedAt, finishedAt, success, error, manual}. Null without one.';
