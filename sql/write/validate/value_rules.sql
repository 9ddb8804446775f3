create or replace function service_private.value_rules(attributes jsonb) returns jsonb
  language sql immutable parallel safe
  return nullif(jsonb_strip_nulls(jsonb_build_object(
    'validation', nullif(coalesce(attributes -> 'validation', '{}') - array['requiredMessage', 'unique']
      - case when attributes ? 'properties' then '' else 'required' end, '{}'),
    'enum', attributes -> 'enum', 'email', attributes -> 'email', 'url', attributes -> 'url', 'dimensions', attributes -> 'dimensions',
    'of', attributes -> 'of', 'oneOf', attributes -> 'oneOf', 'properties', attributes -> 'properties')), '{}');

comment on function service_private.value_rules(jsonb) is
  'The attributes of a property that a value is judged by (service_private.violations), but for maxLength; null when there are none.';
