-- A set of values is a row of one column, which has the name that PostgreSQL gives it: the function's.
create or replace function service_private.endpoint_columns(function oid)
  returns table (n bigint, column_name text, name text, type oid)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
    select c.n, c.column_name, coalesce(service_private.camel_case(c.column_name), c.column_name), c.type
    from (
      select row_number() over (order by a.attnum) as n, a.attname::text as column_name, a.atttypid as type
      from pg_proc p
      join pg_type t on t.oid = service_private.base_type(p.prorettype)
      join pg_attribute a on a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      where p.oid = endpoint_columns.function and t.typtype = 'c'
      union all
      select row_number() over (order by o.n), coalesce(nullif(p.proargnames[o.n], ''),
        case when p.prorettype = 'record'::regtype then 'column' || row_number() over (order by o.n) else p.proname::text end), o.type
      from pg_proc p
      cross join lateral unnest(p.proallargtypes) with ordinality o (type, n)
      where p.oid = endpoint_columns.function and p.proargmodes[o.n] in ('o', 'b', 't')
        and not exists (select from pg_type t where t.oid = service_private.base_type(p.prorettype) and t.typtype = 'c')
      union all
      select 1, p.proname::text, p.prorettype
      from pg_proc p
      where p.oid = endpoint_columns.function and p.proretset and not (coalesce(p.proargmodes, '{}') && '{o,b,t}'::"char"[])
        and not exists (select from pg_type t where t.oid = service_private.base_type(p.prorettype) and t.typtype = 'c')) c;
end $$;

comment on function service_private.endpoint_columns(oid) is
  'The columns of the rows that a function returns, in order: the name in SQL, the wire name, the type. None for one that returns a '
  'value, or nothing.';
