create or replace function service_private.has_refs(value jsonb) returns boolean
  language sql immutable parallel safe
  return strpos(value::text, '"$ref"') > 0;

comment on function service_private.has_refs(jsonb) is 'Whether a value may hold a {"$ref": …}; a text may look like one.';

grant execute on function service_private.has_refs(jsonb) to service_user;
