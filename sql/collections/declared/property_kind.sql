create or replace function service_private.property_kind(definition jsonb) returns text
  language sql immutable parallel safe
  return case definition ->> 'type' when 'text' then 'string' when 'timestamp' then 'date' when 'enum' then 'string'
    else definition ->> 'type' end;

comment on function service_private.property_kind(jsonb) is
  'The type of a declared property, without the words that are only another name of one.';
