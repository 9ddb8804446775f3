-- An exception of the project's function refuses, with its own message when it raised it itself (P0001), and
-- otherwise with one in the server's log. Refusals by service.fail, and errors of the server's state, are passed on.
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
