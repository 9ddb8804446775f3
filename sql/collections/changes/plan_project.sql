-- The rows that are put into the catalog for the comparison are taken out again, and their locks are released: only
-- locks for reading remain.
create or replace function service_private.plan_project(project jsonb) returns jsonb
  language plpgsql volatile set standard_conforming_strings = on set jit = off as $$
declare
  collections_before service.collections[];
  properties_before service.properties[];
  problems jsonb;
  planned jsonb;
begin
  if service_private.is_defined(project) then
    return jsonb_build_object('problems', '[]'::jsonb, 'changes', '[]'::jsonb,
      'steps', (select coalesce(jsonb_agg(p order by p.step), '[]') from service.schema_plan() p));
  end if;
  collections_before := array(select c from service.collections c);
  properties_before := array(select p from service.properties p);
  begin
    perform service_private.store_collections(project);
    problems := (select coalesce(jsonb_agg(p order by p.path, p.problem), '[]') from service_private.definition_problems(project) p);
    if not problems @> '[{"warning": false}]' then
      planned := jsonb_build_object(
        'changes', (select coalesce(jsonb_agg(c order by c.collection, c.property, c.kind), '[]')
          from (
            select * from service_private.catalog_changes(collections_before, properties_before)
            union all select * from service_private.definition_changes(collections_before)
            union all select * from service_private.callback_changes(collections_before)) c),
        'steps', (select coalesce(jsonb_agg(p order by p.step), '[]') from service.schema_plan() p));
    end if;
    raise exception using errcode = 'GW000', message = 'undone';
  exception when sqlstate 'GW000' then null;
  end;
  return coalesce(planned, '{"changes": [], "steps": []}') || jsonb_build_object('problems', problems);
end $$;

comment on function service_private.plan_project(jsonb) is
  'The effect of a project (service_private.define_collections) in this database: {problems: [service.collection_problems], changes: '
  '[service_private.catalog_changes, definition_changes and callback_changes], steps: [service.schema_plan]}, the last two empty where '
  'there are problems that are no warnings. Changes nothing and blocks only sessions that define collections. Problems that only later '
  'steps reveal are not included. Needs the owner.';
