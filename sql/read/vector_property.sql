create or replace function service.vector_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
begin
  if property.type is distinct from 'vector' then
    perform service.fail(400, 'UNKNOWN_VECTOR_PROPERTY', format('%s has no vector property %s.', collection, field), jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $$;

comment on function service.vector_property(text, text, text[]) is 'The vector property of a collection by its name. GW400 UNKNOWN_VECTOR_PROPERTY {field, collection}, FIELD_NOT_READABLE.';

revoke all on function service.vector_property(text, text, text[]) from public;
