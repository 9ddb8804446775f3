create or replace function service.identities(uid text)
  returns table (provider text, provider_id text, email text, email_verified boolean, is_proven boolean, created_at timestamptz)
  language sql stable
begin atomic
  select i.provider, i.provider_id, i.email, i.email_verified, i.is_proven, i.created_at
  from service.user_identities i
  where i.uid = identities.uid
  order by i.created_at, i.provider, i.provider_id;
end;

comment on function service.identities(text) is
  'The identities of an account at other providers, the oldest first. email_verified: whether the provider vouches for that address; '
  'is_proven: whether a person linked it who had proven the account''s address.';

-- Example: select i.* from service.users u cross join lateral service.identities(u.uid) i where u.email = 'ada@example.org';
