create or replace function service_private.version_columns(collection text, alias text) returns text[]
  language plpgsql stable as $$
begin
  return (
    select case when r.relkind in ('v', 'f') then '{}'
      else array[format('%s.xmin as %I', alias, service_private.unused_prefix(version_columns.collection) || 'xmin')] end
    from service.collections c
    join pg_class r on r.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
    where c.slug = version_columns.collection);
end $$;

comment on function service_private.version_columns(text, text) is
  'SQL text, as a list, of what rows carry beside their columns so that service_private.row_tag can tell their version; none for '
  'views and foreign tables.';
