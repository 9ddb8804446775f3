create or replace function service_private.vector_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service_private.find_property(collection, field);
begin
  if property.name is null and service_private.extension_schema('vector') is null and exists (
      select from service.properties p where p.collection = vector_property.collection and p.name = field and p.type = 'vector') then
    perform service.fail(501, 'FEATURE_DISABLED',
      format('%s.%s is left out: the database server does not have the extension vector (pgvector).', collection, field),
      jsonb_build_object('feature', 'vector search', 'extension', 'vector', 'field', field, 'collection', collection));
  end if;
  if property.type is distinct from 'vector' then
    perform service.fail(400, 'UNKNOWN_VECTOR_PROPERTY', format('%s has no vector property %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service_private.require_filterable(property, roles);
  return property;
end $$;

comment on function service_private.vector_property(text, text, text[]) is
  'The vector property of a collection by its name. GW400 UNKNOWN_VECTOR_PROPERTY {field, collection}, FIELD_NOT_READABLE; GW501 '
  'FEATURE_DISABLED {feature, extension, field, collection} for one that a server without pgvector leaves out.';
