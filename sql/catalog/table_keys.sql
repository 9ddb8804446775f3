-- Rows of the tables that inherit from one are rows of it, and its unique indexes do not know them. A unique index that
-- replication goes by is its owner's choice; else the shortest, and of those the one of the first columns.
-- PL/pgSQL, which keeps the plan: service.row_key calls it once a relation of a view.
create or replace function service_private.table_keys(tables oid[]) returns table (relation oid, key smallint[])
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query select distinct on (i.indrelid) i.indrelid, k.key
  from pg_index i
  cross join lateral (select (string_to_array(i.indkey::text, ' ')::smallint[])[:i.indnkeyatts]) k (key)
  where i.indrelid = any (table_keys.tables)
    and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
    and not exists (select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (k.key) and not a.attnotnull)
    -- NOT NULL that is not validated yet (PostgreSQL 18).
    and not exists (
      select from pg_constraint n where n.conrelid = i.indrelid and n.contype = 'n' and n.conkey <@ k.key and not n.convalidated)
    and not exists (select from pg_inherits h join pg_class c on c.oid = h.inhparent and c.relkind = 'r' where h.inhparent = i.indrelid)
  order by i.indrelid, i.indisprimary desc, i.indisreplident desc, cardinality(k.key), k.key, i.indexrelid;
end $$;

comment on function service_private.table_keys(oid[]) is
  'The key of each of these tables that has one, as attribute numbers: its primary key, else a unique index of columns that are not null.';
