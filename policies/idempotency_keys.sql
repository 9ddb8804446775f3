-- Answers hold what only their caller may read. No policy: service_private.answered and service_private.keep_answer use them with the
-- owner's rights.
alter table service.idempotency_keys enable row level security;
revoke all on table service.idempotency_keys from public, service_user;
