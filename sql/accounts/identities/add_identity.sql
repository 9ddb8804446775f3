create or replace function service_private.add_identity(
  uid text, provider text, provider_id text, email text, vouches boolean, is_proven boolean, profile jsonb default '{}') returns void
  language sql volatile
begin atomic
  insert into service.user_identities (provider, provider_id, uid, email, email_verified, is_proven, profile)
  values (add_identity.provider, add_identity.provider_id, add_identity.uid, add_identity.email, vouches, add_identity.is_proven,
    jsonb_strip_nulls(add_identity.profile));
end;

comment on function service_private.add_identity(text, text, text, text, boolean, boolean, jsonb) is
  'Adds an identity to an account. email: in its normal form, null where none is told; vouches: whether the provider says that it is this '
  'person''s; is_proven: whether the person who adds it has proven the account''s address; profile: {displayName, photoURL}, as the '
  'account has them from this provider. A unique_violation of an identity that some account has.';
