-- Which aggregates there are is the server's to say, and differs by version and extension. As the parser would, the one of
-- the type itself is taken first, then one of a type that it is cast to; what comes out is of the column's type again. A
-- uuid sorts as its text does, and a domain over an enum has no aggregates, so its values are cast to the enum. (For records there is
-- max, whose result has lost its type.)
create or replace function service_private.aggregate_call(fn text, expression text, property service.properties) returns text
  language plpgsql stable as $$
declare
  own_type oid := service_private.base_type(to_regtype(property.sql_type));
  found record;
begin
  if fn = 'count' then
    return format('count(%s)', expression);
  elsif (fn in ('sum', 'avg') and property.type <> 'number')
    or (fn in ('min', 'max') and not service_private.is_sortable(property.sql_type)) then
    return null;
  end if;
  select case n.nspname when 'pg_catalog' then fn else format('%I.%s', n.nspname, fn) end as name,
    t.type is distinct from own_type and a.typtype <> 'p' or t.type = 'anyenum'::regtype as is_cast,
    case t.type when 'anyenum'::regtype then property.sql_type else service_private.sql_type(t.type) end as argument
  into found
  from (
    select o.type from service_private.operand_types(property.sql_type) o (type)
    union select 'text'::regtype where property.sql_type = 'uuid') t
  join pg_catalog.pg_type a on a.oid = t.type and a.oid <> 'record'::regtype
  join pg_catalog.pg_proc p on p.prokind = 'a' and p.proname = fn and p.pronargs = 1 and p.proargtypes[0] = t.type
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.oid in ('pg_catalog'::regnamespace, a.typnamespace)
  order by t.type = own_type desc, a.typtype = 'p' desc, a.typispreferred desc, t.type
  limit 1;
  return case
    when found.name is null then null
    when fn in ('sum', 'avg') then format('%s(%s)::numeric', found.name, expression)
    when found.is_cast then service_private.fill('<name>(<expression>::<argument>)::<type>',
      'name', found.name, 'expression', expression, 'argument', found.argument, 'type', property.sql_type)
    else format('%s(%s)', found.name, expression)
  end;
end $$;

comment on function service_private.aggregate_call(text, text, service.properties) is
  'SQL text of an aggregate (count, sum, avg, min, max) of a column''s values: bigint for count, numeric for sum and avg, the '
  'column''s type for min and max. Null when it does not apply to the type.';
