-- A view of the owner's, after the functions that it asks.
create or replace view service.cron_jobs as
select r.*
from service_private.cron_job_rows((select coalesce(jsonb_agg(d.definition), '[]') from service.cron_definitions d)) r;

comment on view service.cron_jobs is 'The scheduled jobs of the gateways that run. state: idle, running, disabled, error (never due).';

revoke all on table service.cron_jobs from public, service_user;
