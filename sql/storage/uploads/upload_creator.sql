-- Sessions may have been ended since: an upload of such a session can be finished only by the account itself.
create or replace function service_private.upload_creator(id uuid, accounts boolean) returns jsonb
  language sql stable
begin atomic
  select case
    when u.creator is null then '{"kind": "anonymous"}'
    when u.creator ->> 'uid' = 'service' then '{"kind": "service"}'
    when starts_with(u.creator ->> 'uid', 'api-key:') then (
      select jsonb_build_object('kind', 'key', 'uid', k.uid, 'roles', k.roles, 'scopes', k.scopes, 'id', k.id)
      from service.api_keys k
      where k.uid = u.creator ->> 'uid' and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp()))
    when not accounts then jsonb_build_object('kind', 'user', 'uid', u.creator -> 'uid', 'roles', u.creator -> 'roles', 'isGuest', false)
    else (
      select jsonb_build_object('kind', 'user', 'uid', a.uid, 'roles', a.roles, 'isGuest', a.is_anonymous)
      from service.users a
      where a.uid = u.creator ->> 'uid' and not a.disabled and (a.tokens_valid_after is null or a.tokens_valid_after <= u.created_at)) end
  from service.storage_uploads u
  where u.id = upload_creator.id;
end;

comment on function service_private.upload_creator(uuid, boolean) is
  'The caller who began an upload, in its current state: {kind, uid, roles, isGuest, scopes, id}, without custom claims. accounts: whether '
  'tokens belong to accounts. Null where the account was deleted or disabled or has ended its sessions since, or the API key is revoked or '
  'expired.';
