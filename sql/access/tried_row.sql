-- A default is part of the row that a policy judges, and so is the tenant that a trigger fills in. Stamps of the caller stand in $2.
create or replace function service_private.tried_row(served service.collections, operation text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select format('unnest(array[jsonb_populate_record(%s, $2)]) %I', case when tried_row.operation <> 'create' then format('$1::%s', t.name)
    else format('row(%s)::%s', (
      select string_agg(format('(%s)::%s', case
          when a.attgenerated <> '' then 'null'
          when a.attname = tenant.column_name then format('select min(q.id) from (%s) q (id) having count(*) = 1', tenant.tenants)
          else coalesce(service_private.default_expression(t.name, a.attname), 'null') end,
        format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
      from pg_attribute a
      where a.attrelid = to_regclass(t.name) and a.attnum > 0 and not a.attisdropped), t.name) end, served.table_name)
  from (select service_private.table_name(served.slug)) t (name)
  left join lateral service_private.collection_tenant(served.slug) tenant on true;
end;

comment on function service_private.tried_row(service.collections, text) is
  'SQL text of the row that a policy judges, for FROM. $1: the stored row as text, which a create has not; $2: what a request would change '
  'of it, by columns, jsonb.';
