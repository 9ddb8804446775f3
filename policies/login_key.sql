alter table service.login_key enable row level security;
revoke all on table service.login_key from public, service_user;
