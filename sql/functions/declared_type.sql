create or replace function service_private.declared_type(type oid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select case t.typtype when 'd' then t.oid::regtype::text else service_private.sql_type(t.oid) end
    from pg_type t where t.oid = declared_type.type);
end $$;

comment on function service_private.declared_type(oid) is
  'The name of a type to cast a value to, as service_private.sql_type; a domain by its own name.';
