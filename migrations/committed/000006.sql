--! Previous: sha1:4517207aaf351e57bb1ba77f7d9b131cb7771b17
--! Hash: sha1:7d2e93947d112fcdd484e5609f144d5d33974c6e

--! Included catalog/base_type.sql
-- PL/pgSQL keeps the plan: an SQL function with this loop as a recursive query took 0.3 ms a call, ten times as much.
create or replace function service.base_type(type oid) returns oid
  language plpgsql stable as $$
declare
  base oid;
begin
  loop
    base := (select t.typbasetype from pg_catalog.pg_type t where t.oid = base_type.type);
    if base is null or base = 0 then
      return case base when 0 then base_type.type end;
    end if;
    base_type.type := base;
  end loop;
end $$;

comment on function service.base_type(oid) is 'The type under a domain, or the type itself; null when there is no such type.';

revoke all on function service.base_type(oid) from public;
--! EndIncluded catalog/base_type.sql
--! Included read/find_column.sql
create or replace function service.find_column(collection text, column_name text) returns service.properties
  language plpgsql stable as $$
begin
  return (select p from service.properties p where p.collection = find_column.collection and p.column_name = find_column.column_name limit 1);
end $$;

comment on function service.find_column(text, text) is 'The property that a column of the table is, null when it is none.';

revoke all on function service.find_column(text, text) from public;
--! EndIncluded read/find_column.sql
