-- A result and no exception: what a refusal changes (a code that is spent, a family that is revoked) has to stay.
create or replace function service_private.oauth_refusal(error text, description text) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('error', error, 'description', description);

comment on function service_private.oauth_refusal(text, text) is
  'A refusal of the token endpoint (RFC 6749 section 5.2): {error, description}.';
