create or replace function service_private.required_message(field text, attributes jsonb) returns text
  language sql immutable parallel safe
  return coalesce(attributes ->> 'requiredMessage', attributes -> 'validation' ->> 'requiredMessage', field || ' is required.');

comment on function service_private.required_message(text, jsonb) is
  'What is said when a required field is missing: the property''s own words, if it has any.';
