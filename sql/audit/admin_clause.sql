create or replace function service_private.admin_clause() returns text
  language sql immutable parallel safe
  return '''admin'' = any (string_to_array((select service.roles()), '',''))';

comment on function service_private.admin_clause() is
  'The clause of a policy for admins alone: the fix where it is not decided yet who else may.';
