-- A job may be deleted while it runs. Its index is used however many jobs there are: planned for few it would read them all.
create or replace function service_private.record_deliveries(deliveries jsonb) returns void
  language plpgsql volatile as $$
begin
  insert into service.webhook_deliveries (
    id, job_id, webhook_id, event_id, attempt, status_code, response_body, error, duration_ms)
  select d.id, d.job, d.webhook, d.event, d.attempt, d.status, d.body, d.error, d.duration
  from jsonb_to_recordset(deliveries) d (
    id uuid, job uuid, webhook text, event uuid, attempt integer, status integer, body text, error text, duration integer)
  cross join lateral (select from service.jobs j where j.id = d.job limit 1) j;
end $$;

comment on function service_private.record_deliveries(jsonb) is
  'Records attempts: [{id, job, webhook, event, attempt, status, body, error, duration}].';
