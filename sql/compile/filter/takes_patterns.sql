-- A nondeterministic collation holds texts for equal that differ in their bytes; LIKE (until 18) and ILIKE refuse it.
create or replace function service_private.takes_patterns(collection text, column_name text) returns boolean
  language plpgsql stable as $$
begin
  return not exists (
    select from service.collections c
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name))
      and a.attname = takes_patterns.column_name
    join pg_catalog.pg_collation l on l.oid = a.attcollation and not l.collisdeterministic
    where c.slug = takes_patterns.collection);
end $$;

comment on function service_private.takes_patterns(text, text) is
  'Whether LIKE and ILIKE apply to a column: not where its collation is nondeterministic.';
