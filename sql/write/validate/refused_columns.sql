-- The table may be another one that a trigger wrote to, and then no field of the body is to blame; of a partitioned
-- table the error names the partition, whose columns have the same names. A domain's check names the domain.
create or replace function service_private.refused_columns(served service.collections, problem jsonb) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with met as (
    select t.oid, c.conkey, i.indkey
    from (select to_regclass(quote_ident(problem ->> 'schema') || '.' || quote_ident(problem ->> 'table')) as oid) t
    left join pg_constraint c on c.conrelid = t.oid and c.conname = problem ->> 'constraint'
    left join pg_class x on x.relname = problem ->> 'constraint' and x.relkind in ('i', 'I')
    left join pg_index i on i.indexrelid = x.oid and i.indrelid = t.oid
    where to_regclass(service_private.table_name(served.slug)) in (t.oid, pg_partition_root(t.oid))
  )
  select array_agg(c.name)
  from (
    select a.attname::text
    from pg_attribute a
    join met m on m.oid = a.attrelid
    where not a.attisdropped and (a.attname = problem ->> 'column' or a.attnum = any (m.conkey) or a.attnum = any (m.indkey::smallint[]))
    union all
    select a.attname::text
    from pg_attribute a
    where a.attrelid = to_regclass(service_private.table_name(served.slug))
      and a.atttypid = to_regtype(quote_ident(problem ->> 'schema') || '.' || quote_ident(problem ->> 'type'))
  ) c (name);
end;

comment on function service_private.refused_columns(service.collections, jsonb) is
  'The columns of the collection''s table that a constraint or NOT NULL error {schema, table, column, constraint, type} is about; '
  'null for another table''s.';
