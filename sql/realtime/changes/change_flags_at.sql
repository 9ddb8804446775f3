create or replace function service_private.change_flags_at(relation oid) returns integer
  language sql immutable parallel safe
begin atomic
  select 3 * (relation::bigint % 20)::integer;
end;

comment on function service_private.change_flags_at(oid) is
  'The lowest of the three bits of service.changes_asked that are about a table. Some tables share theirs; then more is told than was '
  'asked.';
