create or replace function service_private.operand_types(sql_type text) returns setof oid
  language sql stable
begin atomic
  with this as (
    select t.oid, t.typtype, t.typcategory from pg_type t where t.oid = service_private.base_type(to_regtype(operand_types.sql_type))
  )
  select t.oid from this t
  union
  select c.casttarget from this t join pg_cast c on c.castsource = t.oid and c.castcontext = 'i'
  union
  select case t.typtype when 'e' then 'anyenum'::regtype when 'r' then 'anyrange' when 'm' then 'anymultirange' when 'c' then 'record'
    else 'anyarray' end::oid
  from this t where t.typtype in ('e', 'r', 'm', 'c') or t.typcategory = 'A';
end;

comment on function service_private.operand_types(text) is
  'The types whose operators serve a value of this type: its own, those it is cast to implicitly, and its polymorphic one.';
