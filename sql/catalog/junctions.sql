-- A pure junction: exactly two foreign keys, neither within the other, together unique, no other column that a client
-- would write (generated columns, identities and timestamps the database fills do not count), and no references to
-- it. Both may contain the same column, as that of a tenant.
create or replace function service_private.junctions(schema text) returns setof oid
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with linking as (
    select f.conrelid as oid, array(select distinct k from unnest(min(f.conkey) || max(f.conkey)) k) as columns
    from pg_constraint f
    where f.contype = 'f'
    group by f.conrelid
    having count(*) = 2 and not min(f.conkey) <@ max(f.conkey) and not max(f.conkey) <@ min(f.conkey)
  )
  select l.oid
  from linking l
  join pg_class c on c.oid = l.oid
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = junctions.schema
  where exists (
      select from pg_index i
      where i.indrelid = l.oid and i.indisunique and i.indimmediate and i.indpred is null and i.indexprs is null
        and i.indnkeyatts = cardinality(l.columns) and (string_to_array(i.indkey::text, ' ')::smallint[])[:i.indnkeyatts] <@ l.columns)
    and not exists (
      select from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = l.oid and a.attnum > 0 and not a.attisdropped
        and a.attnum <> all (l.columns)
        and a.attidentity = '' and a.attgenerated = ''
        and not (d.oid is not null and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype))
        and not coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false))
    and not exists (select from pg_constraint f where f.confrelid = l.oid and f.contype = 'f');
end;

comment on function service_private.junctions(text) is
  'The tables of a schema that only link two others, so that they become many-to-many relations instead of collections.';
