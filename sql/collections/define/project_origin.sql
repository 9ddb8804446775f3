-- All sources: names, types and rules of definitions are read by functions of many folders, and a hash that left out one of them would
-- keep a catalog that a new version reads otherwise.
create or replace function service_private.project_origin(project jsonb) returns text
  language sql stable
begin atomic
  select encode(sha256(convert_to(
    concat_ws(' ', project, service_private.extension_schema('vector'), string_agg(s.hash, '' order by s.path)), 'UTF8')), 'hex')
  from service.sources s;
end;

comment on function service_private.project_origin(jsonb) is
  'A hash of what decides which catalog a project comes to: itself, the service''s functions, and whether there is pgvector.';
