create or replace function service_private.identities_of(uid text) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(
    jsonb_build_object('provider', i.provider, 'providerId', i.provider_id, 'email', i.email, 'emailVerified', i.email_verified,
      'createdAt', service_private.iso_time(i.created_at))
    order by i.created_at, i.provider, i.provider_id), '[]')
  from service.user_identities i
  where i.uid = identities_of.uid;
end;

comment on function service_private.identities_of(text) is
  'The identities of an account at other providers, the oldest first: [{provider, providerId, email, emailVerified, createdAt}].';
