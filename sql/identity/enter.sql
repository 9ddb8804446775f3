-- The gate of every request: the settings are transaction-local, so they are gone when the statement ends.
-- current_user is checked because a pooler may drop the startup parameters that make a connection restricted;
-- without the check such a connection would read as its owner, past row security.
-- json and four set_config calls: 3 microseconds; jsonb costs one more.
create or replace function service.enter(claims text) returns boolean
  language plpgsql volatile as $$
declare
  claim json := claims;
  uid text := coalesce(nullif(claim ->> 'uid', ''), 'anonymous');
begin
  if current_user <> 'service_user' then
    raise exception using
      errcode = '42501',
      message = format('service.enter runs as %I, not as service_user', current_user),
      hint = 'Log in as a role whose settings say role = service_user; a pooler must keep them.';
  end if;
  return set_config('app.uid', uid, true) is not null
    and set_config('app.user_roles', case when uid = 'anonymous' then 'anon' else coalesce(claim ->> 'roles', '') end, true) is not null
    and set_config('app.is_anonymous', coalesce(claim ->> 'isAnonymous', 'false'), true) is not null
    and set_config('app.jwt', coalesce(claim ->> 'jwt', '{}'), true) is not null;
end $$;

comment on function service.enter(text) is
  'Sets the caller for the current transaction from claims {"uid":text,"roles":"a,b","isAnonymous":boolean,"jwt":object}; a blank '
  'uid is ''anonymous'' with role anon. True, or an error: 42501 when the session does not run as service_user. Called by the '
  'gateway as the first step of every statement.';

revoke all on function service.enter(text) from public;
grant execute on function service.enter(text) to service_user;
