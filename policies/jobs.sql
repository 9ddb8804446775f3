-- No policy: a payload may be a secret, and who may enqueue calls service.enqueue.
alter table service.jobs enable row level security;
revoke all on table service.jobs from public, service_user;
