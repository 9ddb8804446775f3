create or replace function service_private.reject_callback(collection text, stage text, status integer, message text) returns void
  language plpgsql volatile as $$
begin
  raise exception using
    errcode = 'GW' || status,
    message = message,
    detail = json_build_object('stage', stage, 'path', collection)::text,
    hint = 'CALLBACK_REJECTED';
end $$;

comment on function service_private.reject_callback(text, text, integer, text) is
  'Refuses the write of a collection''s row at a stage (beforeSave, afterSave, beforeDelete, afterDelete): GW400 or GW403 '
  'CALLBACK_REJECTED with {stage, path}. Called by the generated triggers, as the writer.';

grant execute on function service_private.reject_callback(text, text, integer, text) to service_user;
