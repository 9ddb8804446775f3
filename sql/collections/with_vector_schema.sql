create or replace function service.with_vector_schema(property service.properties) returns service.properties
  language plpgsql stable as $$
begin
  if property.type = 'vector' and property.sql_type = 'vector' then
    property.sql_type := format('%I.vector', service.extension_schema('vector'));
  end if;
  return property;
end $$;

comment on function service.with_vector_schema(service.properties) is
  'The property; its type, if it is a vector without a schema, by the name that pgvector has on this server.';

revoke all on function service.with_vector_schema(service.properties) from public;
