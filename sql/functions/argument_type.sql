create or replace function service_private.argument_type(type oid) returns text
  language plpgsql stable as $$
begin
  return (
    select case when t.typtype = 'c' then 'map' else service_private.property_type(t.oid) end
    from pg_type t where t.oid = service_private.base_type(argument_type.type));
end $$;

comment on function service_private.argument_type(oid) is
  'The property type of an argument, or of what a function returns: service_private.property_type, map for a composite.';
