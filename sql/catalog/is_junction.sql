-- A pure junction: exactly two foreign keys of one column each, together unique, nothing else that a client would
-- write (generated columns, identities and timestamps the database fills do not count), and nobody refers to it.
create or replace function service.is_junction(relation oid) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with key as (
    select f.conkey[1] as attnum, cardinality(f.conkey) as width
    from pg_constraint f where f.conrelid = is_junction.relation and f.contype = 'f'
  )
  select (select count(*) = 2 and count(distinct k.attnum) = 2 and max(k.width) = 1 from key k)
    and exists (
      select from pg_index i
      where i.indrelid = is_junction.relation and i.indisunique and i.indpred is null and i.indnkeyatts = 2
        and (i.indkey::smallint[])[0] in (select k.attnum from key k) and (i.indkey::smallint[])[1] in (select k.attnum from key k))
    and not exists (
      select from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = is_junction.relation and a.attnum > 0 and not a.attisdropped
        and a.attnum not in (select k.attnum from key k)
        and a.attidentity = '' and a.attgenerated = ''
        and not (d.oid is not null and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype))
        and not coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false))
    and not exists (select from pg_constraint f where f.confrelid = is_junction.relation and f.contype = 'f');
end;

comment on function service.is_junction(oid) is 'Whether a table only links two others, so that it becomes a many-to-many relation instead of a collection.';

revoke all on function service.is_junction(oid) from public;
