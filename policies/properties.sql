alter table service.properties enable row level security;
revoke all on table service.properties from public, service_user;
