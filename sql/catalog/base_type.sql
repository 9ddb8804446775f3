create or replace function service.base_type(type oid) returns oid
  language sql stable
begin atomic
  with recursive base (oid, typbasetype) as (
    select t.oid, t.typbasetype from pg_type t where t.oid = base_type.type
    union all
    select t.oid, t.typbasetype from base b join pg_type t on t.oid = b.typbasetype
  )
  select b.oid from base b where b.typbasetype = 0;
end;

comment on function service.base_type(oid) is 'The type under a domain, or the type itself.';

revoke all on function service.base_type(oid) from public;
