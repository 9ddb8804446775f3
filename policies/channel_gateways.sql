-- No policy: gateways meet here, with the rights of the owner.
alter table service.channel_gateways enable row level security;
revoke all on table service.channel_gateways from public, service_user;
