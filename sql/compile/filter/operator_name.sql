-- Types of extensions bring their operators along, often in a schema that is on no search path: unqualified, ltree's
-- = is not found, and citext's gives way to that of text, which is case-sensitive. PostgreSQL has no operators for a
-- domain over an enum: the value on the left is cast to the enum, which costs nothing and keeps its index.
create or replace function service_private.operator_name(sql_type text, operator text) returns text
  language plpgsql stable as $$
begin
  return concat((
    select '::' || operator_name.sql_type || ' '
    from pg_catalog.pg_type t where t.oid = to_regtype(operator_name.sql_type) and t.typtype = 'e'
  ), coalesce((
    select format('operator(%I.%s)', n.nspname, o.oprname)
    from pg_catalog.pg_operator o
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace and n.nspname <> 'pg_catalog'
    where o.oprname = operator_name.operator
      and o.oprleft = service_private.base_type(to_regtype(operator_name.sql_type)) and o.oprright = o.oprleft
    limit 1), operator_name.operator));
end $$;

comment on function service_private.operator_name(text, text) is
  'SQL text of an operator between two values of a type: as it is called, or where it is not PostgreSQL''s own, with its schema: '
  'operator(extensions.=). For an enum it begins with a cast of what stands before it: ::mood =.';
