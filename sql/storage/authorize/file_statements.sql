-- Locking a row needs the rights to change it: its UPDATE policies are evaluated, and its SELECT policies with them.
-- This lock mode blocks no writer.
create or replace function service_private.file_statements(slug text) returns service.storage_rows
  language plpgsql stable set jit = off as $$
declare
  served constant service.collections := (select c from service.collections c where c.slug = file_statements.slug and c.exposed);
  statements service.storage_rows;
begin
  if served.slug is not null then
    statements.collection := slug;
    statements.version := (select c.version from service.catalog c);
    statements.key_types := service_private.key_types(slug);
    statements.seen := service_private.row_statement(slug, 'true', service_private.key_conditions(slug, 't', '$1')
      || service_private.live_conditions(slug, 't'));
    statements.changed := case when not served.read_only then statements.seen || E'\nfor key share' end;
  end if;
  return statements;
end $$;

comment on function service_private.file_statements(text) is
  'SQL text that answers true where the caller sees the row of a collection with an id ($1, of key_types), and where the caller may change '
  'it (null: no caller may). All null for a collection that is not served.';
