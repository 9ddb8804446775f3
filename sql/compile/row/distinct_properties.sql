create or replace function service_private.distinct_properties(collection text, shape jsonb) returns setof service.properties
  language plpgsql stable as $$
declare
  property service.properties;
begin
  for property in
    select p.* from service_private.properties_of(distinct_properties.collection) p
    where not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name]
    order by p.position
  loop
    if not service_private.is_sortable(property.sql_type) then
      perform service.fail(400, 'DISTINCT_NOT_APPLICABLE',
        format('Two values of %s cannot be compared: it is of type %s.', property.name, property.sql_type),
        jsonb_build_object('field', property.name, 'collection', collection, 'type', property.type, 'sqlType', property.sql_type));
    end if;
    return next property;
  end loop;
end $$;

comment on function service_private.distinct_properties(text, jsonb) is
  'The columns of a distinct read, in order: the named ones without those that are excluded. GW400 DISTINCT_NOT_APPLICABLE {field, '
  'collection, type, sqlType} for types without an order (json, xml, point …).';
