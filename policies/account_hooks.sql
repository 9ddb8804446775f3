-- No policy: service_private.use_account_hooks fills it, service_private.call_account_hook reads it.
alter table service.account_hooks enable row level security;
revoke all on table service.account_hooks from public, service_user;
