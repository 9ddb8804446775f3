--! Previous: sha1:8deee2c5bf20ceeaf92787f701697216284b4574
--! Hash: sha1:40d196c0c15d09ac34dba05f48ac18a577f3b2b9

drop function if exists service.row_tag(text, text, text[]);
drop function if exists service.refuse_unaffected(jsonb, boolean, text[]);
drop function if exists service.refuse_operations(jsonb);
drop function if exists service.judged_fields(service.collections, text, text[]);
drop function if exists service.check_body(jsonb, jsonb, jsonb, text);
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

-- Entries go when their row has 200 newer ones or they are 90 days old, so that a million rows that change little keep few.
create table service.history (
  id uuid primary key default gen_random_uuid(),
  collection text not null,
  entity_id text not null,
  number integer not null,
  action text not null,
  snapshot jsonb not null,
  previous jsonb,
  updated_by text,
  updated_at timestamptz(3) not null default now(),
  transaction_id xid8 not null default pg_current_xact_id()
);
comment on table service.history is
  'What became of the rows of collections with history: one entry a change, written by the trigger _910_history of their table.';
comment on column service.history.collection is 'The slug. Entries of a collection that is gone stay until somebody deletes them.';
comment on column service.history.entity_id is 'The key of the row, as in its URL.';
comment on column service.history.number is 'Rises with every change of the row.';
comment on column service.history.action is 'create, update or delete; a soft delete is a delete too.';
comment on column service.history.snapshot is
  'The columns of the row after the change, of a delete before it, as the API shows values (before afterRead; json as text). Without '
  'excluded columns and those that no property declares.';
comment on column service.history.previous is 'Of an update, the columns that it changed as they were before.';
comment on column service.history.updated_by is 'The uid of the caller; null for who has not signed in, or wrote past the API.';

-- Not unique: to refuse a write for the sake of its entry would be worse than two entries of one number.
create index on service.history (collection, entity_id, number);
