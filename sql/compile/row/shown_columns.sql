-- An unreadable column is left out, never null, and so is an unreadable part of one. The key is always there, but in a distinct
-- read, which returns just what it names. A relation that is included under a column's own name stands in for it.
create or replace function service_private.shown_columns(collection text, alias text, node jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  field text;
  included text[] := array(select i.name from service_private.included_relations(collection, node, roles) i);
  property service.properties;
begin
  for field in select jsonb_array_elements_text(node -> 'fields') loop
    property := service_private.find_property(collection, field);
    if property.name is null and not field = any (included) and not exists (
        select from service.properties p where p.collection = shown_columns.collection and p.name = field and p.excluded) then
      perform service_private.refuse_part(collection, field, roles);
      perform service.fail(400, 'UNKNOWN_FIELD', format('%s has no field %s.', collection, field),
        jsonb_build_object('field', field, 'collection', collection, 'validFields', service_private.valid_fields(collection, roles)));
    end if;
    if property.name is not null then
      perform service_private.require_readable(property, roles);
      -- Which rows are taken for one, what is stored decides.
      if node ? 'distinct' then
        perform service_private.require_filterable(property, roles);
      end if;
    end if;
  end loop;
  return array(
    select format('%s as %I', service_private.column_value(service_private.open_expression(format('%s.%I', alias, p.column_name),
      service_private.closed_parts_of(p, roles, 'read')), p.sql_type), p.name)
    from service_private.properties_of(shown_columns.collection) p
    left join service.collections c on c.slug = p.collection
    where not p.excluded
      and service_private.readable(p, roles)
      and not (node ? 'stored' and p.attributes ? 'masked')
      and (node -> 'fields' is null or (p.name = any (coalesce(c.key, '{}')) and not node ? 'distinct')
        or node -> 'fields' ?| array[p.name, p.column_name])
      and not p.name = any (included)
    order by p.position);
end $$;

comment on function service_private.shown_columns(text, text, jsonb, text[]) is
  'SQL text, as a list, of the columns of a row under their wire names, as these roles may read them and as fields asks; '
  'of a row as it is stored, which afterRead does not see, without what it masks. GW400 '
  'UNKNOWN_FIELD {field, collection, validFields}, FIELD_NOT_READABLE.';
