-- count(orders), max(orders.total): an aggregate over a row's related rows, as this caller sees them.
create or replace function service_private.sort_aggregate(collection text, alias text, field text, roles text[],
  out expression text, out sql_type text)
  language plpgsql stable as $$
declare
  parts text[] := regexp_match(field, '^\s*(count|min|max|sum|avg)\s*\(\s*([^.()]+?)\s*(?:\.([^()]+?))?\s*\)\s*$');
  relation service.relations := service_private.find_relation(collection, parts[2]);
  property service.properties := service_private.find_property(relation.target, parts[3]);
  target_alias text := alias || 'a';
  value text := case when property.name is null then 'count(*)'
    else service_private.aggregate_call(parts[1], format('%s.%I', target_alias, property.column_name), property) end;
  reached record;
begin
  if relation.name is not null and parts[3] is not null and property.name is null then
    perform service_private.refuse_part(relation.target, parts[3], roles);
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD',
      format('%s, which %s.%s leads to, has no field %s to sort by.', relation.target, collection, relation.name, parts[3]),
      jsonb_build_object('field', field, 'collection', collection, 'relation', relation.name, 'targetCollection', relation.target,
        'validFields', service_private.filterable_fields(relation.target, roles)));
  elsif relation.name is null then
    perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no %s to sort by.', collection, field),
      jsonb_build_object('field', field, 'collection', collection, 'validRelations', service_private.valid_relations(collection, roles)));
  elsif relation.kind = 'via' or (parts[3] is null and parts[1] <> 'count') or value is null
    or (select cardinality(c.key) > 1 from service.collections c where c.slug = collection) then
    perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, field),
      jsonb_build_object('field', field, 'collection', collection));
  end if;
  perform service_private.require_relation_readable(relation, roles);
  if property.name is not null then
    perform service_private.require_filterable(property, roles);
  end if;
  reached := service_private.relation_source(relation, alias, target_alias);
  expression := service_private.fill('(select <value> from <source> where <conditions>)',
    'value', value, 'source', reached.source, 'conditions', array_to_string(reached.conditions, ' and '));
  sql_type := case parts[1] when 'count' then 'bigint' when 'sum' then 'numeric' when 'avg' then 'numeric' else property.sql_type end;
end $$;

comment on function service_private.sort_aggregate(text, text, text, text[]) is
  'SQL text and type of a sort key fn(relation[.field]). GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE, '
  'FIELD_NOT_READABLE.';
