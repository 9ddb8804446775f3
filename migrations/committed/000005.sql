--! Previous: sha1:40d196c0c15d09ac34dba05f48ac18a577f3b2b9
--! Hash: sha1:3c9946fac36eca647bc6fa3c687180e386716584

alter table service.relations add column if not exists via jsonb;
comment on column service.relations.via is
  'Of a relation over a chain of joins: {cardinality: one or many, steps: [{schema, table, from, to: columns}]}, each from the table '
  'before to this one; the last is the target''s. junction_source and junction_target are the columns of service.via_source.';

drop function if exists service.default_expression(service.collections, text);
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]);
drop function if exists service.path_conditions(jsonb, text);
