create or replace function service_private.is_open(listed text[], roles text[]) returns boolean
  language sql immutable parallel safe
  return listed is null or coalesce(listed && roles, false) or (coalesce('admin' = any (roles), false) and listed <> '{}');

comment on function service_private.is_open(text[], text[]) is
  'Whether an access list includes these roles: no list means every role, an empty list none, and admin may do what some role may.';
