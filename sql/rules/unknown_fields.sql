-- Quoted text is left alone, as in service_private.rule_sql().
create or replace function service_private.unknown_fields(collection text, sql text) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select array_agg(distinct f.name[1])
  from regexp_matches(regexp_replace(sql, '''(?:[^'']|'''')*''|"(?:[^"]|"")*"', '', 'g'), '\{\s*([^{}\s]+)\s*\}', 'g') f (name)
  where service_private.field_column(unknown_fields.collection, f.name[1]) is null;
end;

comment on function service_private.unknown_fields(text, text) is
  'The names that a rule''s SQL has in braces and that are no field of the collection; null when all are.';
