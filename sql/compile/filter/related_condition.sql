create or replace function service_private.related_condition(relation service.relations, alias text, field text, condition jsonb,
  roles text[])
  returns text
  language plpgsql stable as $$
declare
  target_alias text := alias || 'x';
  column_name text := service_private.path_base(field);
  named text := relation.name || '.' || column_name;
  negated text := (service_private.operand(named, condition)).negated;
  property service.properties := service_private.find_property(relation.target, column_name);
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Fields of the relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', named, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  perform service_private.require_relation_readable(relation, roles);
  -- A second hop is a field that the target has not.
  if property.name is null then
    perform service_private.refuse_part(relation.target, column_name, roles);
    perform service.fail(400, 'UNKNOWN_FILTER_FIELD',
      format('%s, which %s.%s leads to, has no field %s.', relation.target, relation.collection, relation.name, column_name),
      jsonb_build_object('field', named, 'collection', relation.collection, 'relation', relation.name,
        'targetCollection', relation.target, 'validFields', case when column_name = field
          then service_private.filterable_fields(relation.target, roles) else service_private.path_fields(relation.target, roles) end));
  end if;
  if negated is not null then
    condition := jsonb_set(condition, '{0}', to_jsonb(negated));
  end if;
  return service_private.related_exists(negated is null, relation, alias, target_alias, array[
    service_private.condition(relation.target, target_alias, field, condition, roles)]);
end $$;

comment on function service_private.related_condition(service.relations, text, text, jsonb, text[]) is
  'SQL text of a condition on a column of a relation, one hop: some related row matches; for a negative operator, no related row '
  'does. GW400 UNKNOWN_FILTER_FIELD with the target''s fields, UNSUPPORTED_RELATION_FILTER for a via relation.';
