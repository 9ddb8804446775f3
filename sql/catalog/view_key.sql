-- A view has no primary key. Its comment may name one (@key column[, column]), or it exposes the whole key of exactly
-- one of its base tables under the same names. A comment that names a column which is not there names no key: what is
-- left of it could stand for many rows.
create or replace function service.view_key(view oid) returns smallint[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with said as (
    select case when bool_and(a.attnum is not null) then array_agg(a.attnum order by k.n) end as key
    from regexp_split_to_table(substring(obj_description(view_key.view, 'pg_class') from '@key ([^\n]+)'), '\s*,\s*') with ordinality k (name, n)
    left join pg_attribute a on a.attrelid = view_key.view and a.attname = trim(k.name) and a.attnum > 0 and not a.attisdropped
  ), exposed as (
    select p.conrelid, array_agg(v.attnum order by k.n) as key, count(*) = cardinality(p.conkey) as whole
    from pg_rewrite r
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
    join pg_constraint p on p.conrelid = d.refobjid and p.contype = 'p'
    join unnest(p.conkey) with ordinality k (attnum, n) on k.attnum = d.refobjsubid
    join pg_attribute b on b.attrelid = p.conrelid and b.attnum = k.attnum
    join pg_attribute v on v.attrelid = r.ev_class and v.attname = b.attname and v.attnum > 0 and not v.attisdropped
    where r.ev_class = view_key.view and d.refobjid <> view_key.view
    group by p.conrelid, p.conkey
  )
  select coalesce(
    (select s.key from said s),
    (select min(e.key) from exposed e where e.whole having count(*) = 1))
  where exists (select from pg_class c where c.oid = view_key.view and c.relkind = 'v');
end;

comment on function service.view_key(oid) is 'The key columns of a view as attribute numbers; null when they are not known, and for what is no view.';

revoke all on function service.view_key(oid) from public;
