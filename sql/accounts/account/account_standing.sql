create or replace function service_private.account_standing(uid text, session_id text, issued_at numeric) returns jsonb
  language plpgsql stable as $$
declare
  account service.users;
begin
  select u.* into account from service.users u where u.uid = account_standing.uid;
  if account.uid is null then
    perform service.fail(401, 'UNAUTHORIZED', 'The account of this token is not there.');
  elsif account.disabled then
    perform service.fail(401, 'UNAUTHORIZED', 'The account of this token is disabled.');
  elsif issued_at < floor(extract(epoch from account.tokens_valid_after)) or session_id is not null and not exists (
    select from service.sessions s where s.id = service_private.as_uuid(session_id) and s.uid = account.uid and s.revoked_at is null)
  then
    perform service.fail(401, 'SESSION_REVOKED', 'The session of this token was ended.');
  end if;
  return jsonb_build_object('roles', account.roles, 'isAnonymous', account.is_anonymous);
end $$;

comment on function service_private.account_standing(text, text, numeric) is
  'The current standing of a token of this account, session (null: it names none) and time of issue (seconds since the epoch): {roles, '
  'isAnonymous}. GW401 UNAUTHORIZED for a missing or disabled account, SESSION_REVOKED.';
