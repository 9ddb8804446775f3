create or replace function service_private.list_cron_logs(job_id text, most integer) returns json
  language sql stable
begin atomic
  select coalesce(json_agg(service_private.cron_log_record(l) order by l.started_at desc, l.id desc), '[]')
  from service.cron_logs l
  where l.id = any (array(
    select n.id from service.cron_logs n where n.job_id = list_cron_logs.job_id order by n.started_at desc, n.id desc limit most));
end;

comment on function service_private.list_cron_logs(text, integer) is 'The newest runs of a job, as many as that, the newest first.';
