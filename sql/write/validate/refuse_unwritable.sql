create or replace function service_private.refuse_unwritable(collection text, fields text[], message text default null) returns void
  language plpgsql stable as $$
begin
  perform service.fail(400, 'FIELD_NOT_WRITABLE',
    coalesce(message, format('This caller may not write %s.', array_to_string(fields, ', '))),
    service_private.violation_details(collection, fields, 'access', 'Writing %s needs another role.'));
end $$;

comment on function service_private.refuse_unwritable(text, text[], text) is
  'GW400 FIELD_NOT_WRITABLE of fields, or parts of them; details as service_private.violation_details.';

grant execute on function service_private.refuse_unwritable(text, text[], text) to service_user;
