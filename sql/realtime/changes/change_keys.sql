-- Types whose values have one text, so that a key in an address and one that a trigger tells can be compared as they are.
create or replace function service_private.change_keys(relations oid[]) returns table (relation oid, column_name text, type text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select k.relation, a.attname::text, case t.type
    when 'uuid'::regtype then 'uuid' when 'text'::regtype then 'text' when 'varchar'::regtype then 'text' else 'integer' end
  from service_private.table_keys(relations) k
  join pg_attribute a on a.attrelid = k.relation and a.attnum = k.key[1]
  cross join lateral (select service_private.base_type(a.atttypid)) t (type)
  where cardinality(k.key) = 1
    and t.type in ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'uuid'::regtype, 'text'::regtype, 'varchar'::regtype)
    and not exists (select from pg_collation l where l.oid = a.attcollation and not l.collisdeterministic);
end;

comment on function service_private.change_keys(oid[]) is
  'The column by whose text the rows of each of these tables are told apart in service.changes, and its kind: integer, uuid, text. None '
  'where keys have several columns or several spellings.';
