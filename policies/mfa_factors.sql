-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.mfa_factors enable row level security;
revoke all on table service.mfa_factors from public, service_user;
