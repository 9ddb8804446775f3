-- Indexes that can decide a race: over whole columns, for all rows at once.
create or replace function service_private.unique_columns(served service.collections) returns table (columns text[])
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select array(
    select a.attname::text
    from unnest(i.indkey[0:i.indnkeyatts - 1]) k (attnum)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    order by 1)
  from pg_index i
  where i.indrelid = to_regclass(service_private.table_name(served.slug))
    and i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null and i.indexprs is null;
end;

comment on function service_private.unique_columns(service.collections) is
  'The columns, sorted, of each unique index of a collection''s table that an upsert may name.';
