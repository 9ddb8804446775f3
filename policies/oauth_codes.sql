-- No policy: these are the owner's to read and change, through the functions of sql/oauth.
alter table service.oauth_codes enable row level security;
revoke all on table service.oauth_codes from public, service_user;
