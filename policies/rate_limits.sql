-- A writer of this table could raise or exhaust rate limits. No policy: service_private.rate_limit counts with the
-- owner's rights.
alter table service.rate_limits enable row level security;
revoke all on table service.rate_limits from public, service_user;
