alter table service.collections enable row level security;
revoke all on table service.collections from public, service_user;
