alter table service.sources enable row level security;
revoke all on table service.sources from public, service_user;
