-- No policy: answers of receivers are the owner's to read.
alter table service.webhook_deliveries enable row level security;
revoke all on table service.webhook_deliveries from public, service_user;
