create or replace function service_private.altered_policy(name text, on_table text, using_clause text, check_clause text) returns text
  language sql immutable parallel safe
  return concat(format('alter policy %I on %s', name, on_table),
    ' using (' || using_clause || ')', ' with check (' || check_clause || ')', ';');

comment on function service_private.altered_policy(text, text, text, text) is
  'The statement that gives a policy these clauses; a null one stays as it is.';
