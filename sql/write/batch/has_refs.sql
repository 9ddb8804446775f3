create or replace function service.has_refs(value jsonb) returns boolean
  language sql immutable parallel safe
  return strpos(value::text, '"$ref"') > 0;

comment on function service.has_refs(jsonb) is 'Whether a value may hold a {"$ref": …}; a text may look like one.';

revoke all on function service.has_refs(jsonb) from public;
grant execute on function service.has_refs(jsonb) to service_user;
