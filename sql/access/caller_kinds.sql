create or replace function service_private.caller_kinds(roles text[]) returns table (n bigint, kind text, claims jsonb)
  language sql stable
begin atomic
  select row_number() over (order by k.n, k.kind), k.kind, k.claims
  from (
    select 1 as n, 'visitor' as kind, '{"uid": "anonymous"}'::jsonb as claims
    union all
    select 2, 'guest', '{"uid": "a guest", "roles": "", "isAnonymous": "true", "jwt": {"sub": "a guest", "roles": [],
      "is_anonymous": true}}'
    union all
    select k.n, k.kind, '{"uid": "an account", "roles": "", "isAnonymous": "false", "jwt": {"sub": "an account", "roles": [],
      "is_anonymous": false}}'
    from (values (3, 'signed in'), (4, 'owner')) k (n, kind)
    union all
    select 5, 'role ' || r.role, jsonb_build_object('uid', 'an account', 'roles', r.role, 'isAnonymous', 'false', 'jwt',
      jsonb_build_object('sub', 'an account', 'roles', jsonb_build_array(r.role), 'is_anonymous', false))
    from unnest(roles) r (role)
    union all
    select 6, 'service key', service_private.service_claims()) k;
end;

comment on function service_private.caller_kinds(text[]) is
  'The callers that service.policy_matrix tells apart, with claims of each: visitor, guest, signed in, owner (the account that a row '
  'names), one of each role, the service key.';
