-- No policy: accounts are the owner's to read and change, through the functions of sql/auth.
alter table service.one_time_tokens enable row level security;
revoke all on table service.one_time_tokens from public, service_user;
