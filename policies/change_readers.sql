-- No policy: who waits for what is the owner's to know, through the functions of sql/realtime.
alter table service.change_readers enable row level security;
revoke all on table service.change_readers from public, service_user;
