--! Previous: sha1:b577bcb1ba15a087cb8751a171bf09900d46eab0
--! Hash: sha1:8c6fc73ec42cc371c550ea5ac160ed9e1b7c0211

-- What a project comes to is decided here, no longer by the gateway.
drop function if exists service.define(jsonb) cascade;
drop function if exists service.require_expressions() cascade;
drop function if exists service.with_vector_schema(service.properties) cascade;
drop function if exists service.without_column(service.properties) cascade;

alter table service.catalog add column defined_from text;
comment on column service.catalog.defined_from is
  'What the collections of files came from: a hash of the project and of the functions that read it, and the fingerprint of the rows that '
  'it gave. Null before the first.';
