-- Runs what the API would run, as whom it would run it. Role and identity are put back, so a DBA's transaction goes on
-- as it was.
create or replace function service_private.change(request jsonb, claims jsonb) returns json
  language plpgsql volatile
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set extra_float_digits = 1 set jit = off as $$
declare
  before jsonb := service_private.kept_settings();
  caller text[] := service_private.caller(claims);
  body json;
begin
  perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true);
  body := case when request ? 'entry' then service_private.revert_row(caller, request) else service_private.write(caller, request) end;
  perform service_private.restore_settings(before);
  return body;
end $$;

comment on function service_private.change(jsonb, jsonb) is
  'Runs a request of service_private.write, or of service_private.revert_row, as the caller with these claims ({"uid", "roles": "a,b", '
  '"isAnonymous", "jwt"}): the body the API would send.';
