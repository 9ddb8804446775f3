-- No policy: a start writes what its settings say, and a trigger reads it as the owner.
alter table service.webhooks enable row level security;
revoke all on table service.webhooks from public, service_user;
