-- The rules of storage run as the end-user role, which another role has no right to become or to call anything for:
-- so there are two triggers, one for each kind of writer.
create or replace function service_private.wanted_releases(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (schema_name text, table_name text, relation oid, trigger_name text, condition text, as_owner boolean, function_for text,
    body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select t.schema_name, t.table_name, t.oid, w.trigger_name, w.condition, w.as_owner, service_private.short_name(t.collection, w.suffix),
    service_private.release_body(t.collection, w.releases)
  from unnest(wanted_tables) t
  cross join (values
    ('_905_files', 'current_user = ''service_user''', false, '__files', 'service_private.release_files'),
    ('_906_files', 'current_user <> ''service_user''', true, '__files_unasked', 'service_private.release_files_as_owner')
  ) w (trigger_name, condition, as_owner, suffix, releases)
  where exists (select from service.storage_properties p where p.collection = t.collection and p.cleanup);
end $$;

comment on function service_private.wanted_releases(service_private.wanted_table[]) is
  'The triggers that release the files of rows that are deleted or will name others, two a table: condition is when each runs, '
  'function_for its function in schema service_private, as_owner whether that runs as the owner, and body its PL/pgSQL.';
