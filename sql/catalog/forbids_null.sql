create or replace function service_private.forbids_null(type oid) returns boolean
  language sql stable
begin atomic
  with recursive domain as (
    select t.typnotnull, t.typbasetype from pg_type t where t.oid = forbids_null.type and t.typtype = 'd'
    union all
    select t.typnotnull, t.typbasetype from domain d join pg_type t on t.oid = d.typbasetype and t.typtype = 'd'
  )
  select coalesce(bool_or(d.typnotnull), false) from domain d;
end;

comment on function service_private.forbids_null(oid) is 'Whether a type is a domain that is NOT NULL, or over one that is.';
