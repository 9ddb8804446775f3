--! Previous: sha1:40d196c0c15d09ac34dba05f48ac18a577f3b2b9
--! Hash: sha1:b577bcb1ba15a087cb8751a171bf09900d46eab0

alter table service.relations
  add column via jsonb,
  add column on_update text;
comment on column service.relations.via is
  'Of a relation over a chain of joins: {cardinality: one or many, steps: [{schema, table, from, to: columns}]}, each from the table '
  'before to this one; the last is the target''s. junction_source and junction_target are the columns of service.via_source.';
comment on column service.relations.on_update is
  'What a foreign key does when the key that it leads to changes, as PostgreSQL says it; null: nothing is said.';

drop function if exists service.default_expression(service.collections, text) cascade;
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]) cascade;
drop function if exists service.path_conditions(jsonb, text) cascade;
drop function if exists service.wanted_foreign_keys() cascade;
drop function if exists service.keep_answer(jsonb, json) cascade;
drop function if exists service.delete_statement(service.collections, text, text[], text) cascade;
drop function if exists service.write_many(text[], jsonb, text) cascade;
-- Its body names the columns of the table as they were.
drop function if exists service.catalog_fingerprint(service.collections[], service.properties[], service.relations[]) cascade;
