-- No policy: scheduled jobs are the operator's, and their runs may show what rows hold.
alter table service.cron_logs enable row level security;
revoke all on table service.cron_logs from public, service_user;
