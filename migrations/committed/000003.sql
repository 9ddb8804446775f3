--! Previous: sha1:5783c62fcd894289775d27ae06bfaf64e9cf359c
--! Hash: sha1:8deee2c5bf20ceeaf92787f701697216284b4574

-- Said better since.
comment on column service.properties.attributes is
  'Of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, '
  'of (the elements of an array), properties (the parts of a map), keyValue; of a property also isId, autoValue, defaultValue, '
  'dimensions, masked (afterRead shows something else in its place: service.filterable). column {type, default, identity, unique, '
  'stamp, enumType, index} says how a property of a file is provisioned: a column that was there before has none.';
