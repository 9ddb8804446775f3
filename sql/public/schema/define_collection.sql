create or replace function service.define_collection(definition jsonb) returns boolean
  language plpgsql volatile set jit = off as $$
begin
  return service_private.define_collections(service_private.project_with(definition));
end $$;

comment on function service.define_collection(jsonb) is
  'Defines one collection beside those that there are, or anew, from what a collection file would hold; service.provision() then makes its '
  'table. Columns come in the order of propertiesOrder. Returns and raises what service_private.define_collections does. A gateway that '
  'starts with collection files defines those, and no others.';

-- Example: select service.define_collection('{"slug": "notes", "properties": {"id": {"type": "number", "isId": "increment"}}}');
