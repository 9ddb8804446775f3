-- The standing of a credential is asked for last: what it refuses is what the API would say to the account, or to the key.
create or replace function service_private.tried_standing(uid text, key text) returns jsonb
  language plpgsql stable as $$
declare
  standing jsonb;
  hash bytea;
begin
  if uid is not null then
    standing := (
      select jsonb_build_object('uid', u.uid, 'roles', u.roles, 'isAnonymous', u.is_anonymous)
      from service.users u where u.uid = tried_standing.uid);
  else
    select jsonb_build_object('id', k.id, 'uid', k.uid, 'roles', k.roles, 'scopes', k.scopes, 'rateLimit', k.rate_limit), k.key_hash
    into standing, hash
    from service.api_keys k where k.id = service_private.as_uuid(key);
  end if;
  if standing is null then
    perform service.fail(404, 'NOT_FOUND', case when uid is null then 'There is no API key with this id.'
      else 'There is no account with this uid.' end);
  end if;
  perform case when hash is null then service_private.account_standing(uid, null, extract(epoch from clock_timestamp()))
    else service_private.api_key_standing(hash) end;
  return standing;
exception when sqlstate 'GW401' then
  return standing || jsonb_build_object('refusal', sqlerrm);
end $$;

comment on function service_private.tried_standing(text, text) is
  'The current standing of an account by its uid, {uid, roles, isAnonymous}, or of an API key by its id, {id, uid, roles, scopes, '
  'rateLimit}, for requests that are tried as it; with refusal, the message, where its tokens or the key are refused with 401. GW404 '
  'NOT_FOUND.';
