-- Rows stand here that row security hides, and fields that a caller may not read. No policy: callers meet entries only through
-- service_private.history_page and service_private.history_entry, below a row that they were let see.
alter table service.history enable row level security;
revoke all on table service.history from public, service_user;
