-- The event has happened: a handler that fails undoes only its own work.
create or replace function service_private.notify_of_file(caller text[], event jsonb) returns jsonb
  language plpgsql volatile as $$
declare
  entered boolean := service.enter(caller[1], caller[2], caller[3], caller[4], caller[5]);
  told constant jsonb := '{"bucket": "default"}' || jsonb_strip_nulls(event) || jsonb_build_object(
    'user', coalesce(event -> 'user', service_private.file_user()),
    'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  trigger record;
  failures jsonb;
begin
  for trigger in select t.handler, t.params from service_private.file_triggers(event ->> 'event', event ->> 'key') t loop
    begin
      execute format('select %s($1)', trigger.handler) using told || jsonb_build_object('params', trigger.params);
    exception when others then
      failures := coalesce(failures, '[]') || jsonb_build_object('handler', trigger.handler, 'dbCode', sqlstate, 'message', sqlerrm);
    end;
  end loop;
  return failures;
end $$;

comment on function service_private.notify_of_file(text[], jsonb) is
  'Tells the functions that the settings file names of what this caller (the five values of service.enter) did with a file. event: {event '
  '(finalize, delete), key, bucket, storageId, size, contentType, user}; user is the caller unless it is given. Returns those that failed, '
  '[{handler, dbCode, message}]; null for none.';

grant execute on function service_private.notify_of_file(text[], jsonb) to service_user;
