-- No policy: what is here is written for whoever asks.
alter table service.storage_rows enable row level security;
revoke all on table service.storage_rows from public, service_user;
