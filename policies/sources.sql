-- A writer of this table decides which functions the next upgrade takes for installed. No policy: upgrades run as the
-- owner.
alter table service.sources enable row level security;
revoke all on table service.sources from public, service_user;
