-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.users enable row level security;
revoke all on table service.users from public, service_user;
