-- A block is a map whose value is what its type says. One of a type that is not declared has its type to answer for alone.
create or replace function service_private.block_attributes(blocks jsonb, type text) returns jsonb
  language sql immutable parallel safe
begin atomic
  select jsonb_build_object(
    'type', 'map',
    'validation', '{"required": true}'::jsonb,
    'properties', jsonb_build_object(blocks ->> 'typeField', jsonb_build_object(
        'type', 'string',
        'validation', '{"required": true}'::jsonb,
        'enum', (select jsonb_agg(t.name order by t.name) from jsonb_object_keys(blocks -> 'properties') t (name))))
      || case when blocks -> 'properties' ? block_attributes.type
        then jsonb_build_object(blocks ->> 'valueField', blocks -> 'properties' -> block_attributes.type) else '{}' end);
end;

comment on function service_private.block_attributes(jsonb, text) is
  'How a block of this type is judged, as an element of an array: {type, validation, properties}. blocks: the oneOf of its array.';
