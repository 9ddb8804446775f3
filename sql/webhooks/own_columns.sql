create or replace function service_private.own_columns(relation oid, ancestor oid) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select array(
    select a.attname::text
    from pg_attribute a
    where a.attrelid = own_columns.relation and a.attnum > 0 and not a.attisdropped
      and not exists (
        select from pg_attribute h
        where h.attrelid = own_columns.ancestor and h.attname = a.attname and h.attnum > 0 and not h.attisdropped));
end;

comment on function service_private.own_columns(oid, oid) is 'The columns of a table that another, which it inherits from, does not have.';
