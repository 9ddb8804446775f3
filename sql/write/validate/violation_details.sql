create or replace function service_private.violation_details(collection text, fields text[], code text, message text) returns jsonb
  language sql immutable
begin atomic
  select jsonb_build_object('collection', collection, 'fields', fields,
    'violations', jsonb_agg(jsonb_build_object('field', f.field, 'code', code, 'message', format(message, f.field)) order by f.n),
    'messages', jsonb_agg(format(message, f.field) order by f.n))
  from unnest(fields) with ordinality f (field, n);
end;

comment on function service_private.violation_details(text, text[], text, text) is
  'The details of a refusal that is the same for several fields: {collection, fields, violations: [{field, code, message}], messages}; %s '
  'in the message is replaced by the field.';

grant execute on function service_private.violation_details(text, text[], text, text) to service_user;
