-- What a function of the project raises says no, in its own words when it raised them itself (P0001), and otherwise in the server's log.
-- What it refuses by service.fail, and what the state of the server brings about, is told as it is.
create or replace function service_private.allows_call(function text, request jsonb, params jsonb default '{}') returns boolean
  language plpgsql volatile as $$
declare
  asked constant jsonb := '{"bucket": "default"}' || jsonb_strip_nulls(request)
    || jsonb_build_object('user', service_private.file_user(), 'params', params);
  allowed boolean;
begin
  execute format('select %s($1)', function) into allowed using asked;
  return coalesce(allowed, false);
exception
  when raise_exception then
    perform service.fail(403, 'FORBIDDEN', sqlerrm);
  when others then
    if sqlstate ~ '^(GW|08|40|53|57)' or sqlstate in ('25006', '55P03') then
      raise;
    end if;
    raise warning 'The function %, asked about a file, failed: %', function, sqlerrm;
    return false;
end $$;

comment on function service_private.allows_call(text, jsonb, jsonb) is
  'Whether a function of the project allows what is asked, as the caller who entered; null is no. It is told the request of '
  'service_private.allow_file, with user (service_private.file_user) and params. GW403 FORBIDDEN in the words that it raises.';

grant execute on function service_private.allows_call(text, jsonb, jsonb) to service_user;
