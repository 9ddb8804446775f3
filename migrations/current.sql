drop function if exists service.broken_rules(text, jsonb, text, text, jsonb);
drop function if exists service.is_plain(service.collections, text, jsonb);
drop function if exists service.keep(jsonb);
drop function if exists service.run_planned(text, text, text[]);
drop function if exists service.read_back(jsonb, text[], text);
drop function if exists service.key_conditions(text, text, text);
drop function if exists service.insert_statement(service.collections, text[], text, text, text[], text[]);
drop function if exists service.update_statement(service.collections, text[], text, text, text[], text[]);
drop function if exists service.delete_statement(service.collections, text, text[]);
drop function if exists service.written_columns(service.collections, text, text[]);
drop function if exists service.fast_path(service.collections, jsonb, jsonb, text[]);

create table service.idempotency_keys (
  caller text,
  key text,
  request_hash bytea not null,
  answer json,
  answered_at timestamptz not null default now(),
  primary key (caller, key)
);
create index on service.idempotency_keys (answered_at);
comment on table service.idempotency_keys is
  'What was answered to requests with an Idempotency-Key in the last 24 hours: caller (uid), request_hash (service.request_hash), '
  'answer (null without a body).';
