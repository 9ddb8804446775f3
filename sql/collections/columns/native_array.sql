create or replace function service_private.native_array(elements jsonb) returns text
  language sql immutable parallel safe
  return case service_private.property_kind(elements)
    when 'string' then 'text[]'
    when 'number' then case when elements #> '{validation,integer}' = 'true' then 'integer[]' else 'numeric[]' end
    when 'boolean' then 'boolean[]'
    else 'jsonb'
  end;

comment on function service_private.native_array(jsonb) is 'The type of a column for an array of such elements (a declared property).';
