create or replace function service_private.admin_clause() returns text
  language sql immutable parallel safe
  return '''admin'' = any (string_to_array((select service.roles()), '',''))';

comment on function service_private.admin_clause() is
  'What a policy says that lets admins alone: the fix where nobody has said yet who else may.';
