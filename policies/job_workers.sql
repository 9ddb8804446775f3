-- No policy: gateways alone, as the owner.
alter table service.job_workers enable row level security;
revoke all on table service.job_workers from public, service_user;
