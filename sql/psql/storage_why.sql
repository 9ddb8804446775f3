-- As service.run: role and identity are put back.
create or replace function service.storage_why(operation text, key text, claims jsonb default service.service_claims(), more jsonb default '{}')
  returns jsonb
  language plpgsql volatile set timezone = 'UTC' set jit = off as $$
declare
  before jsonb := service.kept_settings();
  caller text[] := service.caller(claims);
  weighed record;
begin
  perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true);
  perform service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  weighed := service.weigh_file(more || jsonb_build_object('operation', operation, 'key', key));
  perform service.restore_settings(before);
  return jsonb_strip_nulls(jsonb_build_object('allowed', weighed.status is null, 'status', weighed.status, 'reason', weighed.reason,
    'bound', weighed.bound));
end $$;

comment on function service.storage_why(text, text, jsonb, jsonb) is
  'Whether a caller may do something (read, write, delete, list) with a file, and what decides: {allowed, status, reason, bound}. claims: '
  'the caller, by default the service key; more: what else service.allow_file is told of a file. Raises what its limits and the functions '
  'of the project raise.';

revoke all on function service.storage_why(text, text, jsonb, jsonb) from public;
