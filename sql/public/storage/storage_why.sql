-- All of it is undone: the role, who the caller is, and what a function of the project may have written.
create or replace function service.storage_why(
  operation text, key text, claims jsonb default service_private.service_claims(), more jsonb default '{}') returns jsonb
  language plpgsql volatile set timezone = 'UTC' set jit = off as $$
declare
  caller constant text[] := service_private.caller(claims);
  weighed record;
  answer jsonb;
  code text;
begin
  if operation not in ('read', 'write', 'delete', 'list') then
    perform service.fail(400, 'INVALID_PARAM', 'What is done with files is read, write, delete or list.');
  end if;
  perform set_config('role', 'service_user', true), set_config('request.jwt.claims', '{}', true),
    set_config('transaction_read_only',
      case when operation in ('read', 'list') then 'on' else current_setting('transaction_read_only') end, true);
  perform service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  weighed := service_private.authorize_file(more || jsonb_build_object('operation', operation, 'key', key));
  answer := jsonb_strip_nulls(jsonb_build_object('allowed', weighed.status is null, 'status', weighed.status, 'reason', weighed.reason,
    'bound', weighed.bound));
  raise exception using errcode = 'GW000', message = 'undone';
exception when others then
  get stacked diagnostics code = pg_exception_hint;
  case
    when sqlstate = 'GW000' then
      return answer;
    when sqlstate ~ '^GW4' then
      return jsonb_build_object('allowed', false, 'status', right(sqlstate, 3)::integer, 'code', code, 'reason', sqlerrm);
    else
      raise;
  end case;
end $$;

comment on function service.storage_why(text, text, jsonb, jsonb) is
  'Whether a caller may do something (read, write, delete, list) with a file, and what decides: {allowed, status, code, reason, bound}. '
  'claims: the caller, by default the service key (service.account_claims makes those of an account); more: what else '
  'service_private.allow_file is told of a file. Changes nothing.';

-- Example: select service.storage_why('read', 'covers/1/a.png', service.account_claims('anonymous'));
