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
