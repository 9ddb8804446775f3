create or replace function service_private.refuse_stamp(collection text, field text) returns void
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform service.fail(400, 'FIELD_NOT_WRITABLE', format('%s is set by deleting the row. Null restores it.', field),
    service_private.violation_details(collection, array[field], 'soft_delete', '%s is set by deleting the row. Null restores it.'));
end $$;

comment on function service_private.refuse_stamp(text, text) is
  'GW400 FIELD_NOT_WRITABLE, violation soft_delete: an update may not delete.';

grant execute on function service_private.refuse_stamp(text, text) to service_user;
