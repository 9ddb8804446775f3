-- No foreign key, which would look once a job, and keep service.jobs from being truncated by itself.
create or replace function service_private.delete_deliveries() returns trigger
  language plpgsql volatile as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from service.webhook_deliveries;
  else
    delete from service.webhook_deliveries d using gone_jobs j where d.job_id = j.id;
  end if;
  return null;
end $$;

comment on function service_private.delete_deliveries() is 'Trigger of service.jobs: attempts at a delivery go with their job.';
