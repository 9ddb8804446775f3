-- The part of a path in the write of its last row. A row that has the parent's key in a column is written as any
-- other, within the parent; over a junction the row is its own collection's, and the link is written after it, or
-- alone.
create or replace function service_private.nested_plan(served service.collections, shape jsonb, roles text[]) returns jsonb
  language plpgsql stable as $fn$
declare
  op constant text := shape ->> 'op';
  path constant jsonb := shape -> 'path';
  sent constant text[] := array(select jsonb_array_elements_text(shape -> 'body'));
  relation service.relations;
  parents text;
  plan jsonb;
begin
  if path is null then
    return null;
  end if;
  relation := service_private.path_relation(path);
  perform service_private.require_path_readable(path, roles);
  perform service_private.require_nestable(relation, shape);
  parents := service_private.parent_rows(path, '($4::jsonb ->> %s)');
  plan := jsonb_build_object('collection', served.slug, 'ids', (
    select jsonb_agg(jsonb_build_object('place', path -> n, 'types',
      service_private.key_types(service_private.path_collection(jsonb_path_query_array(path,
      '$[0 to $n]', jsonb_build_object('n', n)), roles))))
    from generate_series(1, jsonb_array_length(path) - 1, 2) n));
  if relation.junction_table is null then
    if op <> 'create' then
      return plan || jsonb_build_object('within', service_private.path_conditions(path, 't', '($4::jsonb ->> %s)'));
    end if;
    perform service_private.require_linkable(relation, op, roles);
    return plan || jsonb_build_object('above', service_private.parent_state(relation, parents), 'parent',
      service_private.new_parent(relation, parents));
  end if;
  perform service_private.require_linkable(relation, op, roles);
  if op = 'delete' or sent = '{_pivot}' then
    return plan || service_private.link_plan(relation, op) || jsonb_build_object(
      'link', relation.name,
      'statement', case op
        when 'delete' then service_private.unlink_statement(relation, service_private.link_rows(relation, parents,
          'jsonb_build_array(jsonb_build_object(''id'', $2::text))'), true)
        else service_private.pivot_statement(relation, service_private.link_rows(relation, parents,
          'jsonb_build_array(jsonb_build_object(''id'', $2::text, ''pivot'', $1::jsonb -> ''_pivot''))')) end,
      'visible', service_private.row_statement(served.slug, case when shape ? 'match' then service_private.stored_tag(served, roles)
        else '''''' end,
        service_private.key_conditions(served.slug, 't', '$2') || service_private.live_conditions(served.slug, 't')
          || service_private.path_conditions(path, 't', '($4::jsonb ->> %s)')));
  end if;
  return plan || jsonb_build_object('above', service_private.parent_state(relation, parents), 'attach',
    (select service_private.link_plan(relation, op) || jsonb_build_object('statement', service_private.link_statement(relation, l.rows),
      'state', service_private.link_state(relation, l.rows))
    from service_private.link_rows(relation, parents, '$1::jsonb') l (rows)));
end $fn$;

comment on function service_private.nested_plan(service.collections, jsonb, text[]) is
  'The members that the path of a shape [slug, place of the id in the request''s path, relation, …] adds to its '
  'service_private.write_plan: collection, in which it ends; ids: as of service_private.require_readable_ids; above: '
  'service_private.parent_state; within: conditions that tie the row to its parent; parent: as of service_private.insert_statement; '
  'attach: service_private.link_plan with statement and state, SQL text ($1 = service_private.sent_elements of the row, $4 = the path); '
  'or, where a link alone is written, the whole plan, with its relation as link. Null without a path. GW400 RELATION_NOT_WRITABLE, '
  'RELATION_NOT_UNLINKABLE, RELATION_HAS_NO_PIVOT, INVALID_CONFLICT_TARGET, VALIDATION_UNKNOWN_FIELDS, and as '
  'service_private.require_linkable.';
