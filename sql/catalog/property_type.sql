create or replace function service_private.property_type(type oid) returns text
  language sql stable
begin atomic
  select case
    when t.typname in ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money') then 'number'
    when t.typname = 'bool' then 'boolean'
    when t.typname in ('date', 'timestamp', 'timestamptz', 'time', 'timetz') then 'date'
    when t.typname in ('json', 'jsonb') then 'map'
    when t.typname in ('vector', 'halfvec', 'sparsevec') then 'vector'
    when t.typname = 'bytea' then 'binary'
    when t.typcategory = 'A' then 'array'
    else 'string'
  end
  from pg_type t
  where t.oid = service_private.base_type(property_type.type);
end;

comment on function service_private.property_type(oid) is 'The property type of a column type; string for whatever has no type of its own.';
