alter table service.catalog enable row level security;
revoke all on table service.catalog from public, service_user;
