-- Types of extensions bring their operators along, often in a schema that is on nobody's path: unqualified, ltree's = is
-- not found, and citext's gives way to that of text, which tells case apart.
create or replace function service.operator_name(sql_type text, operator text) returns text
  language plpgsql stable as $$
begin
  return coalesce((
    select format('operator(%I.%s)', n.nspname, o.oprname)
    from pg_catalog.pg_operator o
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace and n.nspname <> 'pg_catalog'
    where o.oprname = operator_name.operator
      and o.oprleft = service.base_type(to_regtype(operator_name.sql_type)) and o.oprright = o.oprleft
    limit 1), operator_name.operator);
end $$;

comment on function service.operator_name(text, text) is
  'SQL text of an operator between two values of a type: as it is called, or where it is not PostgreSQL''s own, with its schema: '
  'operator(extensions.=).';

revoke all on function service.operator_name(text, text) from public;
