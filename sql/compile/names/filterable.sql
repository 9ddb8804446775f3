-- Columns that afterRead masks, and values with closed parts, are shown changed. Any other use of the column would
-- work on the stored value.
create or replace function service_private.filterable(property service.properties, roles text[]) returns boolean
  language sql immutable
  return service_private.unmasked(property, roles) and service_private.closed_parts_of(property, roles, 'read') is null;

comment on function service_private.filterable(service.properties, text[]) is
  'Whether holders of these roles may find, sort, group, count, compare or join rows by the property: if they may read all '
  'of it, and afterRead does not mask it.';
