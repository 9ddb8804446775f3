create or replace function service_private.require_filterable(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  perform service_private.require_unmasked(property, roles);
  perform service_private.require_open_path(property, '{}', roles);
end $$;

comment on function service_private.require_filterable(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when the property is not service_private.filterable.';
