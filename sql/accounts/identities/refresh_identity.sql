-- An answer without an address does not withdraw the last one: some providers tell it at the first sign-in only.
create or replace function service_private.refresh_identity(
  provider text, provider_id text, email text, vouches boolean, profile jsonb) returns void
  language sql volatile
begin atomic
  update service.users u
  set display_name = p.display_name, photo_url = p.photo_url, updated_at = clock_timestamp()
  from (
    select u.uid, service_private.followed(u.display_name, i.profile ->> 'displayName', refresh_identity.profile ->> 'displayName')
        as display_name,
      service_private.followed(u.photo_url, i.profile ->> 'photoURL', refresh_identity.profile ->> 'photoURL') as photo_url
    from service.user_identities i join service.users u on u.uid = i.uid
    where i.provider = refresh_identity.provider and i.provider_id = refresh_identity.provider_id) p
  where u.uid = p.uid and (u.display_name, u.photo_url) is distinct from (p.display_name, p.photo_url);
  update service.user_identities i
  set email = coalesce(refresh_identity.email, i.email),
    email_verified = case when refresh_identity.email is null then i.email_verified else vouches end,
    profile = i.profile || jsonb_strip_nulls(refresh_identity.profile)
  where i.provider = refresh_identity.provider and i.provider_id = refresh_identity.provider_id;
end;

comment on function service_private.refresh_identity(text, text, text, boolean, jsonb) is
  'Keeps what a provider now says of an identity: its address and whether it vouches for that (null: not told), and profile {displayName, '
  'photoURL}, which the account follows (service_private.followed). The address of the account stays.';
