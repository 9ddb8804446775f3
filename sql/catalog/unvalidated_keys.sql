create or replace function service_private.unvalidated_keys() returns table (schema_name text, table_name text, columns text[])
  language sql stable
begin atomic
  select s.nspname::text, r.relname::text, (
    select array_agg(a.attname::text order by a.attname collate "C")
    from pg_attribute a where a.attrelid = f.conrelid and a.attnum = any (f.conkey))
  from pg_constraint f
  join pg_class r on r.oid = f.conrelid
  join pg_namespace s on s.oid = r.relnamespace
  where f.contype = 'f' and not f.convalidated;
end;

comment on function service_private.unvalidated_keys() is
  'The columns of the foreign keys that are NOT VALID: their rows may lead to rows that are not there.';
