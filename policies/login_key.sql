-- A reader of the key knows the passwords of the login roles. No policy: gateways ask as the owner.
alter table service.login_key enable row level security;
revoke all on table service.login_key from public, service_user;
