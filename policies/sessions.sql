-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.sessions enable row level security;
revoke all on table service.sessions from public, service_user;
