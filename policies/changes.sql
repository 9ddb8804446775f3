-- No policy: keys of rows that their table's row security hides are here.
alter table service.changes enable row level security;
revoke all on table service.changes from public, service_user;
-- The condition of a trigger runs as the writer of its table, and is false for a writer that may not read the
-- sequence: its changes would be missed.
grant select on sequence service.changes_asked to public;
