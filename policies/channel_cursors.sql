-- No policy: gateways count here, with the rights of the owner.
alter table service.channel_cursors enable row level security;
revoke all on table service.channel_cursors from public, service_user;
