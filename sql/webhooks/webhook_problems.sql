-- A webhook of service.jobs would enqueue jobs without end, and the tables of accounts hold hashes of passwords.
create or replace function service_private.webhook_problems(given jsonb) returns table (path text, problem text)
  language sql stable set jit = off
begin atomic
  with webhook as materialized (
    select format('webhooks[%s]', h.n - 1) as path, h.hook, t.schema_name, t.table_name, t.relation,
      format('%I.%I', t.schema_name, t.table_name) as name,
      service_private.excluded_columns(t.schema_name, t.table_name)
        || coalesce(service_private.texts(h.hook -> 'excludeColumns'), '{}') as excluded
    from jsonb_array_elements(given) with ordinality h (hook, n)
    cross join lateral service_private.webhook_table(h.hook ->> 'table') t
  ), named_column as (
    select w.path || format('.%s[%s]', k.key, c.n - 1) as path, w.relation, w.name, k.key, c.name as column_name, w.excluded
    from webhook w
    cross join (values ('columns'), ('excludeColumns')) k (key)
    cross join lateral jsonb_array_elements_text(w.hook -> k.key) with ordinality c (name, n)
  )
  select w.path || '.table', case
      when w.relation is null then format('there is no table %s', w.name)
      when w.schema_name in ('service', 'service_private', 'pg_catalog', 'information_schema')
        then format('%s is not a table of the project', w.name)
      else format('%s is no table, so it has no triggers that tell of its rows', w.name) end
  from webhook w
  left join pg_class r on r.oid = w.relation
  where r.oid is null or r.relkind not in ('r', 'p') or r.relpersistence = 't'
    or w.schema_name in ('service', 'service_private', 'pg_catalog', 'information_schema')
  union all
  select c.path, case when a.attname is null then format('there is no column %I in %s', c.column_name, c.name)
    else format('the column %I of %s is excluded, so its changes are not told', c.column_name, c.name) end
  from named_column c
  left join pg_attribute a on a.attrelid = c.relation and a.attname = c.column_name and a.attnum > 0 and not a.attisdropped
  where c.relation is not null and (a.attname is null or (c.key = 'columns' and c.column_name = any (c.excluded)))
  union all
  select w.path || '.ordered', format('%s has no primary key, so there is no order of a row', w.name)
  from webhook w
  join pg_class r on r.oid = w.relation and r.relkind in ('r', 'p')
  where (w.hook ->> 'ordered')::boolean and not exists (select from service_private.table_keys(array[w.relation::oid]));
end;

comment on function service_private.webhook_problems(jsonb) is
  'Problems of webhooks (service_private.use_webhooks) that only the database knows, with their places.';
