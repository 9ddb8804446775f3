alter table service.migrations enable row level security;
revoke all on table service.migrations from public, service_user;
