create or replace function service.require_filterable(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  perform service.require_unmasked(property, roles);
  perform service.require_open_path(property, '{}', roles);
end $$;

comment on function service.require_filterable(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when the property is not service.filterable.';

revoke all on function service.require_filterable(service.properties, text[]) from public;
