-- Columns that are kept out of the API stand here too. No policy: callers meet them only in compiled statements.
alter table service.properties enable row level security;
revoke all on table service.properties from public, service_user;
