-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.user_identities enable row level security;
revoke all on table service.user_identities from public, service_user;
