-- Whole rows travel through the statement beside columns of ours, and a table may have a column of any name.
create or replace function service_private.unused_prefix(collection text) returns text
  language plpgsql stable as $$
begin
  return (
    select repeat('~', 1 + coalesce(max(length(substring(a.attname::text from '^~*'))), 0))
    from service.collections c
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attnum > 0
    where c.slug = unused_prefix.collection);
end $$;

comment on function service_private.unused_prefix(text) is
  'The prefix of our names, so that no column of the collection''s table has them: ~, or more tildes.';
