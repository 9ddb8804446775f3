-- No policy: keys of rows that their table's row security hides are here.
alter table service.changes enable row level security;
revoke all on table service.changes from public, service_user;
-- The condition of triggers runs as whoever writes their table, and is false for whoever may not look: that change nobody would hear of.
grant select on sequence service.changes_asked to public;
