--! Previous: sha1:40d196c0c15d09ac34dba05f48ac18a577f3b2b9
--! Hash: sha1:d8d9410ed780aa72a6231bd6f8cd31dcd26735e0

alter table service.relations
  add column via jsonb,
  add column on_update text;
comment on column service.relations.via is
  'Of a relation over a chain of joins: {cardinality: one or many, steps: [{schema, table, from, to: columns}]}, each from the table '
  'before to this one; the last is the target''s. junction_source and junction_target are the columns of service.via_source.';
comment on column service.relations.on_update is
  'What a foreign key does when the key that it leads to changes, as PostgreSQL says it; null: nothing is said.';

drop function if exists service.default_expression(service.collections, text);
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]);
drop function if exists service.path_conditions(jsonb, text);
drop function if exists service.wanted_foreign_keys();
drop function if exists service.keep_answer(jsonb, json);
drop function if exists service.delete_statement(service.collections, text, text[], text);
drop function if exists service.write_many(text[], jsonb, text);
