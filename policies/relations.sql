alter table service.relations enable row level security;
revoke all on table service.relations from public, service_user;
