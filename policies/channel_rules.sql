-- No policy: the settings file of a start says what is here.
alter table service.channel_rules enable row level security;
revoke all on table service.channel_rules from public, service_user;
