create or replace function service_private.membership(relation service.relations, alias text, condition jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  target_alias text := alias || 'x';
  key service.properties;
  op text := (service_private.operand(relation.name, condition)).operator;
  is_negative boolean := op in ('!=', 'not-in');
  positive text := case op when '!=' then '==' when 'not-in' then 'in' when 'array-contains' then '==' when 'array-contains-any' then 'in'
    else op end;
begin
  if relation.kind = 'via' then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER', format('Relation %s cannot be filtered.', relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'relation', relation.name, 'kind', relation.kind));
  end if;
  perform service_private.require_relation_readable(relation, roles);
  if relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
    key := service_private.find_column(relation.collection, relation.local_columns[1]);
    return service_private.comparison(format('%s.%I', alias, key.column_name), key, condition);
  end if;
  select p.* into key from service.collections c join service.properties p on p.collection = c.slug and p.name = c.key[1]
  where c.slug = relation.target and cardinality(c.key) = 1;
  if positive not in ('==', 'in', 'is-null', 'is-not-null') then
    perform service.fail(400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR',
      format('Operator %s does not apply to the relation %s.', op, relation.name),
      jsonb_build_object('field', relation.name, 'collection', relation.collection, 'operator', op));
  end if;
  return case
    when positive like 'is-%' then service_private.related_exists(positive = 'is-not-null', relation, alias, target_alias)
    when key.name is null then service_private.composite_membership(relation, alias, condition, positive)
    else service_private.related_exists(not is_negative, relation, alias, target_alias, array[
      service_private.comparison(format('%s.%I', target_alias, key.column_name), key,
        jsonb_set(condition, '{0}', to_jsonb(positive)))]) end;
end $$;

comment on function service_private.membership(service.relations, text, jsonb, text[]) is
  'SQL text of a condition on a relation by its name: the foreign key of a belongsTo, else whether related rows (with these ids) '
  'exist. Negative operators mean that no related row matches. Composite ids: service_private.composite_membership. GW400 '
  'UNSUPPORTED_RELATION_FILTER, UNSUPPORTED_RELATION_FILTER_OPERATOR.';
