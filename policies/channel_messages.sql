-- No policy: the authorizer of a channel decides who reads it, and members read through a gateway.
alter table service.channel_messages enable row level security;
revoke all on table service.channel_messages from public, service_user;
