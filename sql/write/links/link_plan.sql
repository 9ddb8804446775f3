create or replace function service_private.link_plan(relation service.relations, op text) returns jsonb
  language plpgsql stable as $$
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'of', relation.collection,
    'field', relation.name,
    'kind', relation.kind,
    'key', (select c.key from service.collections c where c.slug = relation.target),
    'keyTypes', service_private.key_types(relation.target),
    'pivot', (
      select jsonb_agg(service_private.value_spec(p) || jsonb_strip_nulls(jsonb_build_object('field', p.name,
        'required', case when op = 'create' and p.required and not p.attributes ?| '{autoValue,defaultValue}' then true end)))
      from service_private.pivot_properties(relation) p)));
end $$;

comment on function service_private.link_plan(service.relations, text) is
  'How values of a relation are judged: {of: its collection, field, kind, key, keyTypes: of the related rows, pivot: '
  'service_private.value_spec of each column of the junction''s own, with its name as field, and whether it is required (op: create)}.';
