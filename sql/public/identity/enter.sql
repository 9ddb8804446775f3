-- The gate of every request: the settings are transaction-local, so they are gone when the statement ends.
-- current_user is checked because a pooler may drop the startup parameters that make a connection restricted;
-- without the check such a connection would read as its owner, past row security.
-- Its values one by one: as one JSON object, or one array, they take longer to read than to set (bench/README.md).
create or replace function service.enter(uid text, roles text default '', is_anonymous text default 'false', jwt text default '{}',
  request_claims text default null) returns boolean
  language plpgsql volatile as $$
begin
  if current_user <> 'service_user' then
    raise exception using
      errcode = '42501',
      message = format('service.enter runs as %I, not as service_user', current_user),
      hint = 'Log in as a role whose settings say role = service_user; a pooler must keep them.';
  end if;
  if coalesce(uid, '') in ('', 'anonymous') then
    uid := 'anonymous';
    roles := 'anon';
  end if;
  return set_config('app.uid', uid, true) is not null
    and set_config('app.user_roles', coalesce(roles, ''), true) is not null
    and set_config('app.is_anonymous', coalesce(is_anonymous, 'false'), true) is not null
    and set_config('app.jwt', coalesce(jwt, '{}'), true) is not null
    and set_config('request.jwt.claims', coalesce(request_claims, service_private.request_claims(uid, roles, is_anonymous, jwt)),
      true) is not null;
end $$;

comment on function service.enter(text, text, text, text, text) is
  'Sets the caller for the current transaction: roles is a comma list, is_anonymous true for a guest, jwt the verified claims (JSON '
  'object), request_claims the setting request.jwt.claims (service_private.request_claims makes it when left out). A blank uid is '
  '''anonymous'' with role anon. True, or an error: 42501 when the session does not run as service_user. Called by the gateway as '
  'the first step of every statement.';

grant execute on function service.enter(text, text, text, text, text) to service_user;

-- Example: set local role service_user; select service.enter('ada', 'editor');
