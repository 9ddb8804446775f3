create or replace function service.without_column(property service.properties) returns service.properties
  language plpgsql immutable as $$
begin
  property.excluded := true;
  property.required := false;
  property.read_roles := '{}';
  property.write_roles := '{}';
  return property;
end $$;

comment on function service.without_column(service.properties) is 'The property as one that nobody reads or writes.';

revoke all on function service.without_column(service.properties) from public;
