-- A field name means, in this order: a column, a relation (membership), a path inside JSON, a column of a relation.
-- The whole name comes first, since a column or table may be named with dots. A path ends in parameters
-- (service_private.hoist_field), so a refusal names the column.
create or replace function service_private.condition(collection text, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  property service.properties := service_private.find_property(collection, field);
  relation service.relations;
  base text := service_private.path_base(field);
  path text[];
  reached text;
begin
  if property.name is not null then
    perform service_private.require_filterable(property, roles);
    return service_private.comparison(format('%s.%I', alias, property.column_name), property, condition);
  end if;
  relation := service_private.find_relation(collection, field);
  if relation.name is not null then
    return service_private.membership(relation, alias, condition, roles);
  end if;
  property := service_private.find_property(collection, base);
  if property.name is not null then
    path := (string_to_array(substr(field, length(base) + 1), '->'))[2:];
    perform service_private.require_unmasked(property, roles);
    reached := service_private.require_open_path(property, path, roles);
    if reached <> 'excluded' then
      return service_private.json_comparison(case reached when 'unclear'
        then service_private.open_expression(format('%s.%I', alias, property.column_name),
          service_private.closed_parts_of(property, roles, 'read'))
        else format('%s.%I', alias, property.column_name) end, property, path, condition);
    end if;
    base := regexp_replace(field, '->[.$#]', '.', 'g');
  end if;
  relation := service_private.find_relation(collection, split_part(field, '.', 1));
  if relation.name is not null then
    return service_private.related_condition(relation, alias, substr(field, length(relation.name) + 2), condition, roles);
  end if;
  perform service_private.refuse_part(collection, base, roles);
  perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s has no field %s.%s', collection, base, case
      when base = 'order' then ' Rows are sorted by orderBy=name:desc.'
      when base ~ '(^|\.)not(\.|$)' then ' A negation is a group: not=(name.eq.x).'
    end),
    jsonb_build_object('field', base, 'collection', collection, 'validRelations', service_private.valid_relations(collection, roles),
      'validFields', case when base = field
        then service_private.filterable_fields(collection, roles) else service_private.path_fields(collection, roles) end));
end $$;

comment on function service_private.condition(text, text, text, jsonb, text[]) is
  'SQL text of one condition on one field of a collection. GW400 UNKNOWN_FILTER_FIELD {field, collection, validFields, '
  'validRelations}, FIELD_NOT_READABLE, and what comparison, membership and related_condition refuse.';
