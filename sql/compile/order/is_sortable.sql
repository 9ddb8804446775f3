-- As the server looks for it: the default order of the type itself, or of one that it is the same as in storage. Arrays
-- and composites have one when their parts do.
create or replace function service_private.is_sortable(sql_type text) returns boolean
  language plpgsql stable as $$
declare
  type pg_catalog.pg_type := (select t from pg_catalog.pg_type t where t.oid = service_private.base_type(to_regtype(is_sortable.sql_type)));
begin
  if type.typtype = 'c' then
    return not exists (
      select from pg_catalog.pg_attribute a
      where a.attrelid = type.typrelid and a.attnum > 0 and not a.attisdropped
        and not service_private.is_sortable(service_private.sql_type(a.atttypid)));
  elsif type.typcategory = 'A' and type.typlen = -1 then
    return service_private.is_sortable(service_private.sql_type(type.typelem));
  end if;
  return exists (
    select from pg_catalog.pg_opclass c
    join pg_catalog.pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
    where c.opcdefault and (
      c.opcintype = type.oid
      or c.opcintype = case type.typtype when 'e' then 'anyenum'::regtype when 'r' then 'anyrange' when 'm' then 'anymultirange' end
      or exists (
        select from pg_catalog.pg_cast b
        where b.castsource = type.oid and b.casttarget = c.opcintype and b.castmethod = 'b' and b.castcontext = 'i')));
end $$;

comment on function service_private.is_sortable(text) is
  'Whether PostgreSQL has an order for a type, and so groups by it: not so for xml, json or the geometric types.';
