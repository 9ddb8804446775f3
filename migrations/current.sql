-- Enter migration here

drop function if exists service.default_expression(service.collections, text);
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]);
drop function if exists service.path_conditions(jsonb, text);
drop function if exists service.wanted_foreign_keys();

-- What a foreign key does when the key that it leads to changes.
alter table service.relations add column on_update text;
