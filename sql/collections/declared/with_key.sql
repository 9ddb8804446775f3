create or replace function service_private.with_key(definition jsonb) returns jsonb
  language plpgsql immutable parallel safe as $$
declare
  properties constant jsonb := coalesce(definition -> 'properties', '{}');
begin
  return case
    when exists (select from jsonb_each(properties) p (name, declared) where service_private.is_declared_key(p.declared)) then definition
    when properties ? 'id' then jsonb_set(definition, '{properties,id,isId}', 'true')
    else definition || jsonb_build_object(
      'properties', properties || '{"id": {"type": "string", "isId": "gen_random_uuid()::text"}}',
      'propertiesOrder', '["id"]'::jsonb || coalesce(definition -> 'propertiesOrder', '[]'))
  end;
end $$;

comment on function service_private.with_key(jsonb) is
  'The definition of a collection with a key: the property that is declared to be it, else id, which is made where there is none.';
