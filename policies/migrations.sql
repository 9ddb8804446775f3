-- A writer of this table decides what the next upgrade leaves out. No policy: upgrades run as the owner.
alter table service.migrations enable row level security;
revoke all on table service.migrations from public, service_user;
