drop function if exists service.keep(jsonb);
drop function if exists service.run_planned(text, text, text[]);
drop function if exists service.read_back(jsonb, text[], text);
drop function if exists service.key_conditions(text, text, text);
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[]);
drop function if exists service.update_statement(service.collections, text[], text, text, text[], text[]);
drop function if exists service.delete_statement(service.collections, text, text[]);
drop function if exists service.written_columns(service.collections, text, text[]);
drop function if exists service.fast_path(service.collections, jsonb, jsonb, text[]);
