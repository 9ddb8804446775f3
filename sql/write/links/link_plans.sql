create or replace function service_private.link_plans(served service.collections, op text, sent text[], roles text[]) returns jsonb
  language plpgsql stable as $$
declare
  relation service.relations;
  rows text;
  plans jsonb;
begin
  for relation in select * from service_private.sent_links(served, sent) loop
    perform service_private.require_linkable(relation, 'update', roles);
    rows := service_private.link_rows(relation, service_private.fill('
      select t.*
      from <table> t
      where <conditions>',
      'table', service_private.table_name(served.slug), 'conditions',
        service_private.conjunction(service_private.key_conditions(served.slug, 't', '$2'))),
      '$1::jsonb');
    plans := coalesce(plans, '[]') || jsonb_build_array(service_private.link_plan(relation, op) || jsonb_build_object(
      'scope', format('data:%s:%s', case when relation.junction_table is null then 'write' else 'read' end, relation.target),
      'statements', array_remove(array[
        service_private.unlink_statement(relation, rows, false),
        case when relation.junction_table is not null then service_private.pivot_statement(relation, rows) end,
        service_private.link_statement(relation, rows)], null),
      'state', service_private.link_state(relation, rows)));
  end loop;
  return plans;
end $$;

comment on function service_private.link_plans(service.collections, text, text[], text[]) is
  'How a body with these names sets its links (service_private.sent_links), relation by relation: service_private.link_plan with {scope: '
  'of an API key, data:write of the target where its rows change, data:read where only a junction is written; statements, in their order, '
  'state (service_private.link_state): SQL text, $1 = service_private.sent_elements, $2 = id}; null without any. Errors as '
  'service_private.require_linkable.';
