-- No policy: the settings file of a start says what is here.
alter table service.storage_access enable row level security;
revoke all on table service.storage_access from public, service_user;
