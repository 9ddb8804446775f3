-- Tables that are not served stand here too, and rules say who may see what. No policy: callers meet the catalog only in the
-- statements that functions with the owner's rights compile for them.
alter table service.collections enable row level security;
revoke all on table service.collections from public, service_user;
