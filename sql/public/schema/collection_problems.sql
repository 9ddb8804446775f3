-- The rows that are put into the catalog for the check are taken out again.
create or replace function service.collection_problems(project jsonb) returns table (path text, problem text, warning boolean)
  language plpgsql volatile set standard_conforming_strings = on set jit = off as $$
#variable_conflict use_column
declare
  found jsonb;
begin
  begin
    perform service_private.store_collections(project);
    found := (select coalesce(jsonb_agg(p), '[]') from service_private.definition_problems(project) p);
    raise exception using errcode = 'GW000', message = 'undone';
  exception when sqlstate 'GW000' then null;
  end;
  return query
    select p.path, p.problem, p.warning
    from jsonb_to_recordset(found) p (path text, problem text, warning boolean)
    order by p.path, p.problem;
end $$;

comment on function service.collection_problems(jsonb) is
  'Problems of a project (service_private.define_collections), each with its place, such as posts.properties.author; warning: it can be '
  'served so. Changes nothing. Needs the owner.';

-- Example: select path, problem from service.collection_problems('{"collections": [{"definition": {"slug": "notes"}}]}');
