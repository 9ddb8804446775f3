-- Junctions and collections without routes stand here too. No policy: callers meet them only in compiled statements.
alter table service.relations enable row level security;
revoke all on table service.relations from public, service_user;
