create or replace function service_private.refuse_excluded(collection text, fields text[]) returns void
  language plpgsql stable as $$
begin
  perform service.fail(400, 'VALIDATION_EXCLUDED_FIELDS', format('No caller may write %s.', array_to_string(fields, ', ')),
    service_private.violation_details(collection, fields, 'access', 'No caller may write %s.'));
end $$;

comment on function service_private.refuse_excluded(text, text[]) is
  'GW400 VALIDATION_EXCLUDED_FIELDS of fields, or parts of them; details as service_private.violation_details.';
