-- A cursor goes on after its row by <, which hstore has under another name.
create or replace function service_private.sort_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service_private.find_property(collection, field);
  relation service.relations := service_private.find_relation(collection, field);
begin
  if property.name is null and relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
    property := service_private.find_column(collection, relation.local_columns[1]);
  end if;
  if property.name is null and relation.name is null then
    perform service_private.refuse_part(collection, field, roles);
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no field %s to sort by.', collection, field),
      jsonb_build_object('field', field, 'collection', collection, 'validFields', service_private.filterable_fields(collection, roles)));
  elsif property.name is null or property.type in ('map', 'vector', 'geopoint', 'binary') or property.sql_type in ('json', 'jsonb')
    or not service_private.is_sortable(property.sql_type) or not service_private.has_operator(property.sql_type, '<') then
    perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service_private.require_filterable(property, roles);
  return property;
end $$;

comment on function service_private.sort_property(text, text, text[]) is
  'The property that a sort key names: a column, or the foreign key of a belongsTo. GW400 UNKNOWN_ORDER_BY_FIELD, '
  'ORDER_BY_FIELD_NOT_SORTABLE (to-many relations, and types without an order), FIELD_NOT_READABLE.';
