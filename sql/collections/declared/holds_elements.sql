create or replace function service_private.holds_elements(column_type text, elements jsonb) returns boolean
  language sql immutable parallel safe
  return column_type is null or column_type like 'json%' or elements is null
    or column_type = service_private.native_array(elements)
      or (column_type = 'integer[]' and service_private.native_array(elements) = 'numeric[]');

comment on function service_private.holds_elements(text, jsonb) is
  'Whether a column of this type takes an array of such elements (a declared property).';
