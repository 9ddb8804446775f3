create or replace function service_private.extension_schema(name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(
    (select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = extension_schema.name),
    (select 'public' from pg_available_extensions e where e.name = extension_schema.name));
end $$;

comment on function service_private.extension_schema(text) is
  'The schema that holds, or will hold, what an extension brings; null when this server does not have the extension.';
