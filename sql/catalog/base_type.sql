-- PL/pgSQL keeps the plan: an SQL function with this loop as a recursive query took 0.3 ms a call, ten times as much.
create or replace function service_private.base_type(type oid) returns oid
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

comment on function service_private.base_type(oid) is 'The type under a domain, or the type itself; null when there is no such type.';
