create or replace function service_private.claimed_roles(claims jsonb) returns text[]
  language sql immutable parallel safe
  return case when coalesce(claims ->> 'uid', '') in ('', 'anonymous') then array['anon']
    else string_to_array(coalesce(claims ->> 'roles', ''), ',') end;

comment on function service_private.claimed_roles(jsonb) is 'The roles that service.enter gives to a caller with these claims.';
