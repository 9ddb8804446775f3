alter table service.cursor_key enable row level security;
revoke all on table service.cursor_key from public, service_user;
