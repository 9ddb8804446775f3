-- No policy: whoever may read a channel is for its authorizer to say, and members read through a gateway.
alter table service.channel_messages enable row level security;
revoke all on table service.channel_messages from public, service_user;
