-- No policy: as service.channel_messages.
alter table service.channel_presences enable row level security;
revoke all on table service.channel_presences from public, service_user;
