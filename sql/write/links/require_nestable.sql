create or replace function service_private.require_nestable(relation service.relations, shape jsonb) returns void
  language plpgsql stable as $$
declare
  op constant text := shape ->> 'op';
  is_pivot constant boolean := op = 'update' and shape -> 'body' ? '_pivot';
  details constant jsonb := jsonb_build_object('collection', relation.collection, 'relation', relation.name);
  extra text[];
begin
  if relation.kind = 'via' and op = 'delete' then
    perform service.fail(400, 'RELATION_NOT_UNLINKABLE', format('%s leads over several links; none of them is its own.', relation.name),
      details);
  elsif relation.kind not in ('hasMany', 'manyToMany') then
    perform service.fail(400, 'RELATION_NOT_WRITABLE',
      format('Nothing can be written through %s. Write to %s, or set the relation in the body of %s.', relation.name, relation.target,
        relation.collection), details);
  elsif shape ? 'conflict' then
    perform service.fail(400, 'INVALID_CONFLICT_TARGET', 'An upsert does not go through related rows.',
      jsonb_build_object('collection', relation.target, 'columns', shape -> 'conflict'));
  elsif is_pivot and not exists (select from service_private.written_pivot(relation)) then
    perform service.fail(400, 'RELATION_HAS_NO_PIVOT', format('Links of %s have no properties of their own.', relation.name), details);
  end if;
  extra := array(select b from jsonb_array_elements_text(shape -> 'body') b where b <> '_pivot' order by b);
  if is_pivot and extra <> '{}' then
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS', 'Where _pivot is sent, nothing else is.',
      details || jsonb_build_object('fields', extra));
  end if;
end $$;

comment on function service_private.require_nestable(service.relations, jsonb) is
  'Nothing, or why a write of this shape does not go through the relation that its path ends in: GW400 RELATION_NOT_UNLINKABLE, '
  'RELATION_NOT_WRITABLE, RELATION_HAS_NO_PIVOT {collection, relation}, INVALID_CONFLICT_TARGET {collection, columns}, '
  'VALIDATION_UNKNOWN_FIELDS {collection, relation, fields}.';
