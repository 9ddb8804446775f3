-- No policy: these are the owner's to read and change, through the functions of sql/oauth.
alter table service.oauth_requests enable row level security;
revoke all on table service.oauth_requests from public, service_user;
