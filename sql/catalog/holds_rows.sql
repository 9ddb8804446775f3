create or replace function service_private.holds_rows(type oid) returns boolean
  language sql stable
begin atomic
  select e.typtype = 'c'
  from pg_type t
  join pg_type e on e.oid = service_private.base_type(case t.typcategory when 'A' then t.typelem else t.oid end)
  where t.oid = service_private.base_type(holds_rows.type);
end;

comment on function service_private.holds_rows(oid) is
  'Whether the values of a type, or the elements of an array, are rows: objects in JSON.';
