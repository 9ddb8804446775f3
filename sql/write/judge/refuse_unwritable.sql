create or replace function service.refuse_unwritable(collection text, fields text[], message text default null) returns void
  language plpgsql stable as $$
begin
  perform service.fail(400, 'FIELD_NOT_WRITABLE',
    coalesce(message, format('This caller may not write %s.', array_to_string(fields, ', '))),
    service.violation_details(collection, fields, 'access', 'Writing %s needs another role.'));
end $$;

comment on function service.refuse_unwritable(text, text[], text) is
  'GW400 FIELD_NOT_WRITABLE of fields, or parts of them; details as service.violation_details.';

revoke all on function service.refuse_unwritable(text, text[], text) from public;
grant execute on function service.refuse_unwritable(text, text[], text) to service_user;
