-- The operators that the parser would find: on the type itself, on a type it is cast to implicitly, or on its kind of
-- types. PL/pgSQL keeps the plan: 0.03 ms a call where an SQL function that is planned anew takes 0.5.
create or replace function service_private.has_operator(sql_type text, operator text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from service_private.operand_types(has_operator.sql_type) t (type)
    join pg_catalog.pg_operator o on o.oprleft = t.type and o.oprright = t.type
    where o.oprname = has_operator.operator);
end $$;

comment on function service_private.has_operator(text, text) is
  'Whether two values of a type can be compared by an SQL operator (=, <>, <, …): not so for xml or point.';
