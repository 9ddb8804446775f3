create or replace function service_private.element_type(type oid) returns text
  language sql stable
begin atomic
  select service_private.sql_type(b.oid)
  from pg_type t
  join pg_type e on e.oid = t.typelem and e.typtype = 'd'
  join pg_type b on b.oid = service_private.base_type(e.oid) and b.typtype = 'b' and b.typcategory <> 'A'
  where t.oid = service_private.base_type(element_type.type) and t.typcategory = 'A';
end;

comment on function service_private.element_type(oid) is
  'The base type of the elements of an array of a domain, as service_private.sql_type; null for another type, and where the base is an '
  'enum, a composite, a range or an array.';
