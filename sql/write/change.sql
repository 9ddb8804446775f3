-- Runs what the API would run, as whom it would run it. Role and identity are put back, so a DBA's transaction goes on
-- as it was.
create or replace function service.change(request jsonb, claims jsonb) returns json
  language plpgsql volatile set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  before text[] := array[current_setting('app.uid', true), current_setting('app.user_roles', true), current_setting('app.is_anonymous', true), current_setting('app.jwt', true)];
  role_before text := current_setting('role');
  body json;
begin
  perform set_config('role', 'service_user', true);
  body := service.write(claims::text, request);
  perform set_config('role', role_before, true),
    set_config('app.uid', coalesce(before[1], ''), true), set_config('app.user_roles', coalesce(before[2], ''), true),
    set_config('app.is_anonymous', coalesce(before[3], ''), true), set_config('app.jwt', coalesce(before[4], ''), true);
  return body;
end $$;

comment on function service.change(jsonb, jsonb) is
  'Runs a write request of service.write as the caller with these claims ({"uid", "roles": "a,b", "isAnonymous", "jwt"}): the body the API would send.';

revoke all on function service.change(jsonb, jsonb) from public;
