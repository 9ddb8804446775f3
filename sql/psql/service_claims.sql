create or replace function service_private.service_claims() returns jsonb
  language sql immutable parallel safe
  return '{
    "uid": "service", "roles": "admin", "isAnonymous": false,
    "jwt": {"sub": "service", "roles": ["admin"], "is_anonymous": false}
  }'::jsonb;

comment on function service_private.service_claims() is 'The claims of the service key.';
