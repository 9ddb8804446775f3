create or replace function service_private.caller(claims jsonb) returns text[]
  language sql immutable parallel safe
  return array[claims ->> 'uid', claims ->> 'roles', claims ->> 'isAnonymous', claims ->> 'jwt', null];

comment on function service_private.caller(jsonb) is
  'The arguments of service.enter for a caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}).';
