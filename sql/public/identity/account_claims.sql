create or replace function service.account_claims(uid text) returns jsonb
  language sql stable
begin atomic
  select case when coalesce(n.uid, 'anonymous') = 'anonymous' then '{"uid": "anonymous"}'
    when n.uid = 'service' then service_private.service_claims()
    else jsonb_build_object('uid', n.uid, 'roles', array_to_string(n.roles, ','), 'isAnonymous', n.is_anonymous,
      'jwt', jsonb_build_object('sub', n.uid, 'roles', n.roles, 'is_anonymous', n.is_anonymous)) end
  from (
    select account_claims.uid as uid, coalesce(u.roles, '{}') as roles, coalesce(u.is_anonymous, false) as is_anonymous
    from (select) one
    left join service.users u on u.uid = account_claims.uid) n;
end;

comment on function service.account_claims(text) is
  'The claims of an account, for service.storage_why, service.list and similar functions: {uid, roles, isAnonymous, jwt}, without those of '
  'customize_claims. A missing account has no roles; anonymous, and null, is a caller without a sign-in.';

-- Example: select service.list('products', '{"limit": 2}', service.account_claims('anonymous'));
