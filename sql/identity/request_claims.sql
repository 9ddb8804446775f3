-- For psql. A request would pay several times what entering costs: the gateway makes this text once a credential
-- (gateway/identity/caller.ts).
create or replace function service_private.request_claims(uid text, roles text, is_anonymous text, jwt text) returns text
  language sql immutable parallel safe
  return coalesce(jwt, '{}')::jsonb - 'sub'
    || case when uid in ('anonymous', 'service') or uid like 'api-key:%' then '{}' else jsonb_build_object('sub', uid) end
    || jsonb_build_object(
      'role', case uid when 'anonymous' then 'anon' when 'service' then 'service_role' else 'authenticated' end,
      'roles', string_to_array(coalesce(roles, ''), ','),
      'is_anonymous', coalesce(is_anonymous, 'false')::boolean);

comment on function service_private.request_claims(text, text, text, text) is
  'A caller''s claims as policies and triggers written for PostgREST or Supabase look for them, in the setting request.jwt.claims: '
  'sub only for a person who has signed in, role is anon, authenticated or service_role.';

grant execute on function service_private.request_claims(text, text, text, text) to service_user;
