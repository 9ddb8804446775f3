-- Whole rows travel through the statement beside columns of ours, and a table may have a column of any name.
create or replace function service.unused_name(collection text, stem text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select repeat('~', n) || stem
  from service.collections c, generate_series(1, 50) n
  where c.slug = unused_name.collection
    and not exists (
      select from pg_attribute a
      where a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attname = repeat('~', n) || stem)
  order by n
  limit 1;
end;

comment on function service.unused_name(text, text) is 'A name for a column of ours that the collection''s table has not: ~stem, or with more tildes.';

revoke all on function service.unused_name(text, text) from public;
