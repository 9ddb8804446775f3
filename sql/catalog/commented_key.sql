-- A comment that names a column which is not there names no key: what is left of it could stand for many rows.
create or replace function service_private.commented_key(relation oid) returns smallint[]
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select case when bool_and(a.attnum is not null) then array_agg(a.attnum order by k.n) end
  from substring(obj_description(commented_key.relation, 'pg_class') from '@key ([^\n]+)') s (names)
  cross join lateral regexp_split_to_table(s.names, '\s*,\s*') with ordinality k (name, n)
  left join pg_attribute a
    on a.attrelid = commented_key.relation and a.attname = trim(k.name) and a.attnum > 0 and not a.attisdropped;
end;

comment on function service_private.commented_key(oid) is
  'The key that the comment of a table or view names (@key column[, column]), as attribute numbers; '
  'null when it names none, or a column that is not there.';
