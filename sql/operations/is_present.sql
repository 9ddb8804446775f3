create or replace function service_private.is_present(id text) returns boolean
  language sql stable set jit = off
  return case when id ~ '^[0-9]+-[0-9a-f]{8}$' then exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.classid = 7261946 and l.objid = service_private.presence_key(id)::oid and l.objsubid = 2
      and l.granted and l.database = (select d.oid from pg_database d where d.datname = current_database())) end;

comment on function service_private.is_present(text) is
  'Whether the database session that holds a presence (service_private.hold_presence) lives; null for an id that no session holds, as '
  'that of a gateway behind a pooler that shares sessions, or of a worker of the project''s own.';
