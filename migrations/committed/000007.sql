--! Previous: sha1:8c6fc73ec42cc371c550ea5ac160ed9e1b7c0211
--! Hash: sha1:cbc57f1f1683ccd0f3707d3259bed3ad08e5b545

-- Enter migration here

-- Their arguments have changed.
drop function if exists service.history_page(text, text, bigint, bigint, text[], text[], text[]) cascade;
drop function if exists service.json_comparison(text, service.properties, text, jsonb) cascade;
drop function if exists service.json_path(text, text) cascade;
drop function if exists service.judged_fields(service.collections, text, text[], jsonb) cascade;
drop function if exists service.conflict_clause(service.collections, text[], text[]) cascade;
drop function if exists service.operation_expression(text, service.properties, text) cascade;
drop function if exists service.update_statement(service.collections, text[], text, text, text[], text[], text[], jsonb) cascade;
drop function if exists service.written_columns(service.collections, text, text[], text, text[], jsonb) cascade;

-- Said better since.
comment on column service.properties.attributes is
  'Of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, '
  'of (the elements of an array), oneOf (its blocks: {typeField, valueField, properties}), properties (the parts of a map), keyValue; '
  'of a part also type, defaultValue, readRoles, writeRoles, excluded; of a property also isId, autoValue, defaultValue, dimensions, '
  'masked (afterRead shows something else in its place: service.filterable), restricted (service.restricted_parts). column {type, '
  'default, identity, unique, stamp, enumType, index} says how a property of a file is provisioned: a column that was there before has '
  'none.';
