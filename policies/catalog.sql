-- Which catalog is served is the owner's to say. No policy lets anybody else see or move its version, not even after a grant
-- by mistake; gateways ask as the owner.
alter table service.catalog enable row level security;
revoke all on table service.catalog from public, service_user;
