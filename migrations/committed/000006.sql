--! Previous: sha1:b577bcb1ba15a087cb8751a171bf09900d46eab0
--! Hash: sha1:e087f97712c27a72f07e2af93f896f58a13b13a0

-- What a project comes to is decided here, no longer by the gateway.
drop function if exists service.define(jsonb) cascade;
drop function if exists service.require_expressions() cascade;
drop function if exists service.with_vector_schema(service.properties) cascade;
drop function if exists service.without_column(service.properties) cascade;

alter table service.catalog add column defined_from text;
comment on column service.catalog.defined_from is
  'What the collections of files came from: a hash of the project and of the functions that read it, and the fingerprint of the rows that '
  'it gave. Null before the first.';


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
