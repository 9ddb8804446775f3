create or replace function service.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  target_alias text := alias || 'x';
  column_name text := split_part(field, '->', 1);
  negated text := (service.operand(relation.name || '.' || column_name, condition)).negated;
  property service.properties := service.find_property(relation.target, column_name);
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Fields of the relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name || '.' || column_name, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  perform service.require_relation_readable(relation, roles);
  -- A second hop is a field that the target has not.
  if property.name is null then
    perform service.fail(400, 'UNKNOWN_FILTER_FIELD', format('%s, which %s.%s leads to, has no field %s.', relation.target, relation.collection, relation.name, column_name),
      jsonb_build_object('field', relation.name || '.' || column_name, 'collection', relation.collection, 'relation', relation.name,
        'targetCollection', relation.target, 'validFields', service.valid_fields(relation.target, roles)));
  end if;
  return format('%s (select from %s and %s)', case when negated is null then 'exists' else 'not exists' end,
    service.relation_from(relation, alias, target_alias),
    service.condition(relation.target, target_alias, field, case when negated is null then condition else jsonb_set(condition, '{0}', to_jsonb(negated)) end, roles));
end $$;

comment on function service.related_condition(service.relations, text, text, jsonb, text[]) is
  'SQL text of a condition on a column of a relation, one hop: some related row matches; for a negative operator, no related row does. GW400 UNKNOWN_FILTER_FIELD with the target''s fields, UNSUPPORTED_RELATION_FILTER for a via relation.';

revoke all on function service.related_condition(service.relations, text, text, jsonb, text[]) from public;
