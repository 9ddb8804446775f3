create or replace function service_private.refuse_tenant(collection text, field text, code text) returns text
  language plpgsql stable as $$
declare
  message constant text := format(case code
    when 'TENANT_REQUIRED' then '%s must say which tenant the row belongs to: the caller is in none, or in several.'
    when 'TENANT_MISMATCH' then '%s names a tenant that the caller is not in.'
    when 'TENANT_IMMUTABLE' then '%s cannot be changed: a row stays with its tenant.' end, field);
begin
  return service.fail(400, code, message, jsonb_build_object('collection', collection,
    'violations', jsonb_build_array(jsonb_build_object('field', field, 'code', code, 'message', message))));
end $$;

comment on function service_private.refuse_tenant(text, text, text) is
  'Refuses a row for its tenant: GW400 TENANT_REQUIRED, TENANT_MISMATCH or TENANT_IMMUTABLE with {collection, violations: [{field, code, '
  'message}]}. Called by the generated triggers, as the writer.';

grant execute on function service_private.refuse_tenant(text, text, text) to service_user;
