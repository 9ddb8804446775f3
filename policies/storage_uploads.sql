-- No policy: who knows an id could go on with somebody's upload. The owner reads and changes them, through sql/storage/uploads.
alter table service.storage_uploads enable row level security;
revoke all on table service.storage_uploads from public, service_user;
