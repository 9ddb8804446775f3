create or replace function service_private.column_names(relation oid, columns smallint[]) returns text[]
  language plpgsql stable as $$
begin
  return (
    select array_agg(a.attname::text order by c.n)
    from unnest(columns) with ordinality c (attnum, n)
    join pg_catalog.pg_attribute a on a.attrelid = column_names.relation and a.attnum = c.attnum);
end $$;

comment on function service_private.column_names(oid, smallint[]) is 'Column names of a table by attribute number, in that order.';
