create or replace function service_private.revert_plan(collection text, roles text[]) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  served service.collections;
begin
  perform service_private.path_collection(jsonb_build_array(collection), roles);
  select c.* into served from service.collections c where c.slug = revert_plan.collection;
  perform service_private.require_history(served);
  return jsonb_build_object(
    'current', service_private.fill('
      select jsonb_build_object(''id'', <entity>, ''row'', <snapshot>)
      from <table> t
      where <conditions>',
      'entity', service_private.entity_id(served, 't'),
      'snapshot', service_private.snapshot(served, 't'),
      'table', service_private.table_name(collection),
      'conditions', service_private.conjunction(service_private.key_conditions(collection, 't', '$2'))),
    'keyTypes', service_private.key_types(collection),
    -- Values that the database sets follow from the others.
    'fields', (
      select coalesce(jsonb_object_agg(p.column_name, jsonb_strip_nulls(jsonb_build_object(
        'name', p.name, 'type', p.sql_type, 'closed', service_private.closed_parts_of(p, roles, 'read')))), '{}')
      from service_private.history_columns(served) p
      where service_private.readable(p, roles) and not p.generated and not p.attributes ? 'autoValue' and not p.name = any (served.key)));
end $$;

comment on function service_private.revert_plan(text, text[]) is
  'The plan of service_private.revert_row for a collection: {current: SQL text of the row as service_private.snapshot, under the id that '
  'service.history has it by ($2 = id); keyTypes: the types of the id; fields: those that these roles can bring back, by column {name, '
  'type, closed: service_private.closed_parts_of}}. GW404 NOT_FOUND, GW400 BAD_REQUEST as service_private.require_history.';

grant execute on function service_private.revert_plan(text, text[]) to service_user;
