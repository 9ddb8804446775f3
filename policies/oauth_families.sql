-- No policy: these are the owner's to read and change, through the functions of sql/oauth.
alter table service.oauth_families enable row level security;
revoke all on table service.oauth_families from public, service_user;
