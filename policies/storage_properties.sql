-- No policy: the collections of a project say what is here.
alter table service.storage_properties enable row level security;
revoke all on table service.storage_properties from public, service_user;
