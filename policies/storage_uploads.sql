-- No policy: a caller that knows an id could continue a foreign upload. The owner reads and changes them, through
-- sql/storage/uploads.
alter table service.storage_uploads enable row level security;
revoke all on table service.storage_uploads from public, service_user;
