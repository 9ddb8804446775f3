-- No policy: keys are the owner's to read and change, through the functions of sql/auth.
alter table service.api_keys enable row level security;
revoke all on table service.api_keys from public, service_user;
