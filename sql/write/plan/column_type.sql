-- A domain's checks may call anything; its base type calls nothing.
create or replace function service_private.column_type(type oid, modifier integer) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select case t.typtype when 'd' then service_private.sql_type(t.oid) else format_type(t.oid, modifier) end
  from pg_type t
  where t.oid = column_type.type;
end;

comment on function service_private.column_type(oid, integer) is
  'A column''s type with its length, as a value can be cast to it; of a domain the base type.';
