-- No policy: as service.channel_messages.
alter table service.broadcasts enable row level security;
revoke all on table service.broadcasts from public, service_user;
