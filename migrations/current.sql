-- Enter migration here

drop function if exists service.default_expression(service.collections, text);
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]);
drop function if exists service.path_conditions(jsonb, text);
drop function if exists service.keep_answer(jsonb, json);
drop function if exists service.delete_statement(service.collections, text, text[], text);
