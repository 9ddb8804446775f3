create or replace function service_private.required_message(field text, attributes jsonb) returns text
  language sql immutable parallel safe
  return coalesce(attributes ->> 'requiredMessage', attributes -> 'validation' ->> 'requiredMessage', field || ' is required.');

comment on function service_private.required_message(text, jsonb) is
  'The message for a missing required field: the property''s own, if it has one.';
