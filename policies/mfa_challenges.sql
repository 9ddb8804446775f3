-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.mfa_challenges enable row level security;
revoke all on table service.mfa_challenges from public, service_user;
