create or replace function service.vector_schema() returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(
    (select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'),
    (select 'public' from pg_available_extensions e where e.name = 'vector'));
end;

comment on function service.vector_schema() is 'The schema that holds, or will hold, the types of pgvector; null when this server does not have the extension.';

revoke all on function service.vector_schema() from public;
