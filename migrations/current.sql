drop function if exists service.record_change(text, text, text, jsonb, jsonb);

-- PostgreSQL reads its expression anew for each row that is inserted by itself.
alter table service.history drop constraint history_action_check;
comment on column service.history.action is 'create, update or delete; a soft delete is a delete too.';
drop function if exists service.row_tag(text, text, text[]);
drop function if exists service.refuse_unaffected(jsonb, boolean, text[]);
drop function if exists service.refuse_operations(jsonb);
drop function if exists service.judged_fields(service.collections, text, text[]);
drop function if exists service.written_columns(service.collections, text, text[], text, text[]);
drop function if exists service.update_statement(service.collections, text[], text, text, text[], text[], text[]);
drop function if exists service.check_body(jsonb, jsonb, jsonb, text);
