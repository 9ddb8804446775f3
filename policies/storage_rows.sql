-- No policy: the statements are the same for every caller.
alter table service.storage_rows enable row level security;
revoke all on table service.storage_rows from public, service_user;
