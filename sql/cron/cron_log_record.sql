create or replace function service_private.cron_log_record(log service.cron_logs) returns json
  language sql stable
begin atomic
  select json_object_agg(k.key, k.value order by k.place) filter (where k.value is not null)
  from (values
    (1, 'jobId', to_json((log).job_id)),
    (2, 'startedAt', to_json(service_private.iso_time((log).started_at))),
    (3, 'finishedAt', to_json(service_private.iso_time((log).finished_at))),
    (4, 'durationMs', to_json((log).duration_ms)),
    (5, 'success', to_json((log).success)),
    (6, 'error', to_json((log).error)),
    (7, 'result', (log).result::json),
    (8, 'logs', (log).logs::json),
    (9, 'manual', to_json((log).manual))) k (place, key, value);
end;

comment on function service_private.cron_log_record(service.cron_logs) is
  'A run as the admin routes show it; members without a value are absent.';
