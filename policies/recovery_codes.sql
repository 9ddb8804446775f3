-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.recovery_codes enable row level security;
revoke all on table service.recovery_codes from public, service_user;
