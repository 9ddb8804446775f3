-- The schemas "service" and "service_private" as the migrations leave them. Written by npm run schema from a migrated database: read it, do not edit it.

create role service_user nologin noinherit;

create schema service;
grant usage on schema service to service_user;

create schema service_private;
grant usage on schema service_private to service_user;

create type service.introspected_table as (
  oid oid,
  schema_name text,
  slug text,
  kind "char",
  key smallint[],
  junction boolean,
  description text,
  reason text,
  remedy text
);
comment on type service.introspected_table is 'A table or view as introspection finds it; reason says why it is not served (null: it is), remedy the SQL that would change that.';
grant usage on type service.introspected_table to public;

create type service.job_status as text;
grant usage on type service.job_status to public;

create type service.provision_step as (
  step integer,
  kind text,
  target text,
  statement text,
  concurrent boolean,
  verdict text,
  detail text,
  remedy text
);
comment on type service.provision_step is 'A difference between what collections ask for and what the database has. statement brings it about (null: it is only told), concurrent when it has to run by itself, outside a transaction; verdict: safe, withheld, report; detail says what is the matter, remedy the SQL that would help.';
grant usage on type service.provision_step to public;

create type service_private.wanted_column as (
  schema_name text,
  table_name text,
  relation oid,
  attnum smallint,
  name text,
  "position" integer,
  type text,
  default_value text,
  identity boolean,
  is_unique boolean,
  not_null boolean,
  stamp text,
  in_key boolean,
  enum_type jsonb,
  vector_index jsonb
);
comment on type service_private.wanted_column is 'A column that collection files ask for. attnum is null while the table (relation) has none of that name; type is null for a vector where the server has no pgvector.';
grant usage on type service_private.wanted_column to public;

create type service_private.wanted_table as (
  schema_name text,
  table_name text,
  collection text,
  key text[],
  read_only boolean,
  soft_delete text,
  oid oid
);
comment on type service_private.wanted_table is 'A table that collection files ask for: that of a collection, or a junction of many-to-many relations (collection is null). key: the columns of its key; soft_delete: its column of deletion; oid is null while there is none.';
grant usage on type service_private.wanted_table to public;

create sequence service.changes_asked;
comment on sequence service.changes_asked is 'The leases of gateways, three bits a table (service_private.change_flags_at): its changes are wanted, with keys of rows, and with a notification. No value while there are no leases. Every writer of a table reads it.';
grant select on sequence service.changes_asked to public;

create sequence service.changes_asked_until;
comment on sequence service.changes_asked_until is 'When the last of those gateways counts as gone, in seconds since 1970.';

create sequence service.jobs_asleep;
comment on sequence service.jobs_asleep is 'Has a value (is_called) while a worker of service.job_workers is asleep: who enqueues a job rings then, by a notification.';

create table service.account_hooks (
  hook text not null,
  function text not null,
  constraint account_hooks_pkey PRIMARY KEY (hook)
);
alter table service.account_hooks enable row level security;
comment on table service.account_hooks is 'The functions that take part where accounts are made, sign in and are deleted, as the settings file of the last start names them (service_private.use_account_hooks).';

create table service.api_keys (
  id uuid default gen_random_uuid() not null,
  uid text generated always as (('api-key:'::text || (id)::text)) stored not null,
  name text not null,
  key_hash bytea not null,
  key_prefix text not null,
  scopes text[] not null,
  roles text[] default '{}'::text[] not null,
  rate_limit integer,
  created_by text not null,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  updated_at timestamp(3) with time zone default clock_timestamp() not null,
  last_used_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_name_check CHECK (((name = btrim(name)) AND ((char_length(name) >= 1) AND (char_length(name) <= 255)))),
  constraint api_keys_rate_limit_check CHECK ((rate_limit > 0)),
  constraint api_keys_roles_check CHECK (((array_position(roles, NULL::text) IS NULL) AND (array_position(roles, ''::text) IS NULL) AND (POSITION((','::text) IN (array_to_string(roles, ''::text))) = 0) AND (NOT (roles && '{anon,service}'::text[])))),
  constraint api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (array_position(scopes, NULL::text) IS NULL)))
);
alter table service.api_keys enable row level security;
CREATE INDEX api_keys_created_at_id_idx ON service.api_keys USING btree (created_at, id);
CREATE TRIGGER announced AFTER DELETE OR UPDATE OF scopes, roles, rate_limit, expires_at, revoked_at ON service.api_keys FOR EACH ROW EXECUTE FUNCTION service_private.announce_account();
comment on table service.api_keys is 'API keys. uid: who requests with it are in row security; key_hash: SHA-256 of it; key_prefix: its first 12 characters; roles: those of row security besides service; rate_limit: requests in 15 minutes, null without a limit of its own; last_used_at: to the minute.';

create table service.broadcasts (
  id bigint generated always as identity not null,
  channel text not null,
  event text not null,
  payload json not null,
  kept boolean not null,
  constraint broadcasts_pkey PRIMARY KEY (id)
);
alter table service.broadcasts enable row level security;
comment on table service.broadcasts is 'Messages of service.broadcast that no notification carries. kept: for a channel that keeps its messages, until a gateway has given it its number; else a message that is too large, until every gateway can have read it.';

create table service.catalog (
  only_row boolean default true not null,
  version bigint default 1 not null,
  schema_version text default 'v1:0000000000000000'::text not null,
  defined_from text,
  constraint catalog_pkey PRIMARY KEY (only_row),
  constraint catalog_only_row_check CHECK (only_row)
);
alter table service.catalog enable row level security;
comment on table service.catalog is 'One row: the version of the catalog, and the hash that stands for its collections.';
comment on column service.catalog.defined_from is 'The source of the collections of files: a hash of the project and of the functions that read it, and the fingerprint of the resulting rows. Null before the first.';

create unlogged table service.change_leases (
  relation oid not null,
  reader uuid not null,
  keyed boolean not null,
  awake boolean default true not null,
  until timestamp with time zone not null,
  constraint change_leases_pkey PRIMARY KEY (relation, reader),
  constraint change_leases_reader_fkey FOREIGN KEY (reader) REFERENCES service.change_readers(id) ON DELETE CASCADE
);
alter table service.change_leases enable row level security;
CREATE INDEX change_leases_reader_idx ON service.change_leases USING btree (reader);
comment on table service.change_leases is 'The tables whose changes a gateway wants. keyed: with the keys of the rows, because a client waits for one row; awake: the gateway polls by itself and needs no notification; until: as of the reader.';

create unlogged table service.change_readers (
  id uuid not null,
  seen pg_snapshot not null,
  sockets integer default 0 not null,
  subscriptions integer default 0 not null,
  until timestamp with time zone not null,
  constraint change_readers_pkey PRIMARY KEY (id)
);
alter table service.change_readers enable row level security;
comment on table service.change_readers is 'Gateways that want to hear of changes, one row a start. seen: what it has heard of is visible there; sockets, subscriptions: how many it has; until: when it counts as gone, unless it says something before. All as of a quarter of a minute ago at most.';

create unlogged table service.changes (
  xid xid8 default pg_current_xact_id() not null,
  relation oid not null,
  keys text[]
);
alter table service.changes enable row level security;
CREATE INDEX changes_xid_idx ON service.changes USING btree (xid);
comment on table service.changes is 'The outbox: statements that changed rows of leased tables. keys: of the rows, as text; null: not recorded.';

create table service.channel_cursors (
  channel text not null,
  seq bigint not null,
  prune_at timestamp with time zone,
  constraint channel_cursors_pkey PRIMARY KEY (channel)
);
alter table service.channel_cursors enable row level security;
CREATE INDEX channel_cursors_prune_at_idx ON service.channel_cursors USING btree (prune_at) WHERE (prune_at IS NOT NULL);
comment on table service.channel_cursors is 'The last number of each channel that keeps messages; never deleted, so that no number comes twice. prune_at: when it is looked for what is too old, null while nothing is due.';

create unlogged table service.channel_gateways (
  id uuid not null,
  until timestamp with time zone not null,
  constraint channel_gateways_pkey PRIMARY KEY (id)
);
alter table service.channel_gateways enable row level security;
comment on table service.channel_gateways is 'Gateways whose channels are one (REALTIME_CHANNEL_BUS=postgres), one row a start. until: when it counts as gone, unless it says something before.';

create table service.channel_messages (
  channel text not null,
  seq bigint not null,
  at timestamp(3) with time zone not null,
  event text not null,
  payload json not null,
  sender uuid,
  constraint channel_messages_pkey PRIMARY KEY (channel, seq)
);
alter table service.channel_messages enable row level security;
comment on table service.channel_messages is 'Messages of channels that keep them. sender: the socket that sent it, which does not receive it; null for service.broadcast.';

create unlogged table service.channel_presences (
  channel text not null,
  id uuid not null,
  gateway uuid not null,
  state json not null,
  constraint channel_presences_pkey PRIMARY KEY (channel, id),
  constraint channel_presences_gateway_fkey FOREIGN KEY (gateway) REFERENCES service.channel_gateways(id) ON DELETE CASCADE
);
alter table service.channel_presences enable row level security;
CREATE INDEX channel_presences_gateway_idx ON service.channel_presences USING btree (gateway);
comment on table service.channel_presences is 'The members present in a channel, by gateway: the id of a socket, and its state.';

create table service.channel_rules (
  place integer not null,
  match text not null,
  most integer,
  life interval,
  constraint channel_rules_pkey PRIMARY KEY (place),
  constraint channel_rules_check CHECK (((most IS NOT NULL) OR (life IS NOT NULL)))
);
alter table service.channel_rules enable row level security;
comment on table service.channel_rules is 'Channels that keep their messages, the first match counts. match: a name, or how names begin with * at its end; most: how many; life: how long.';

create table service.collections (
  slug text not null,
  source text not null,
  name text not null,
  singular_name text not null,
  description text,
  schema_name text not null,
  table_name text not null,
  key text[] not null,
  exposed boolean default true not null,
  read_only boolean default false not null,
  strict_writes boolean default true not null,
  callbacks jsonb default '{}'::jsonb not null,
  definition jsonb,
  constraint collections_pkey PRIMARY KEY (slug),
  constraint collections_key_check CHECK ((cardinality(key) > 0)),
  constraint collections_source_check CHECK ((source = ANY (ARRAY['introspected'::text, 'file'::text])))
);
alter table service.collections enable row level security;
comment on table service.collections is 'Collections: one table or view each, reachable at /data/<slug>.';
comment on column service.collections.key is 'Property names of the primary key, in order.';
comment on column service.collections.exposed is 'False: known as a relation''s target, without routes of its own.';
comment on column service.collections.strict_writes is 'False: a body may name a real column that is not declared.';
comment on column service.collections.callbacks is 'Hook name to SQL function: beforeSave, afterSave, beforeDelete, afterDelete, afterRead.';
comment on column service.collections.definition is 'The collection file this comes from; null for a table that was there before.';

create table service.cron_claims (
  job_id text not null,
  slot timestamp with time zone not null,
  run_id uuid,
  claimed_at timestamp with time zone default clock_timestamp() not null,
  constraint cron_claims_pkey PRIMARY KEY (job_id, slot)
);
alter table service.cron_claims enable row level security;
comment on table service.cron_claims is 'The slots, each a scheduled minute, that a gateway took: one run a slot, however many gateways there are.';

create table service.cron_definitions (
  job_id text not null,
  definition jsonb not null,
  defined_by text,
  defined_at timestamp with time zone default clock_timestamp() not null,
  constraint cron_definitions_pkey PRIMARY KEY (job_id)
);
alter table service.cron_definitions enable row level security;
comment on table service.cron_definitions is 'The scheduled jobs of the gateways that run, for the view service.cron_jobs. defined_by: the database session of the gateway whose settings have it; the row goes when that session is gone and another gateway starts or looks.';

create table service.cron_job_state (
  job_id text not null,
  enabled boolean,
  updated_at timestamp with time zone,
  updated_by text,
  running_until timestamp with time zone,
  running_by text,
  run_id uuid,
  run_started_at timestamp with time zone,
  run_manual boolean,
  total_runs bigint default 0 not null,
  total_failures bigint default 0 not null,
  last_run_at timestamp with time zone,
  last_duration_ms bigint,
  last_error text,
  constraint cron_job_state_pkey PRIMARY KEY (job_id)
);
alter table service.cron_job_state enable row level security;
comment on table service.cron_job_state is 'A scheduled job as all gateways see it. enabled: as service.cron_enable left it, null: as it is defined; updated_at, updated_by: since when, and the caller. running_*, run_*: the lease of the run that is under way; running_by: the database session that it ends with, running_until: when it ends at the latest.';

create table service.cron_logs (
  id bigint generated always as identity not null,
  job_id text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  duration_ms bigint not null,
  success boolean not null,
  error text,
  result jsonb,
  logs jsonb default '[]'::jsonb not null,
  manual boolean not null,
  constraint cron_logs_pkey PRIMARY KEY (id)
);
alter table service.cron_logs enable row level security;
CREATE INDEX cron_logs_newest ON service.cron_logs USING btree (job_id, started_at DESC, id DESC);
comment on table service.cron_logs is 'The runs of scheduled jobs, those that were skipped too: 30 days, and at least the newest 50 of a job. logs: its lines, in order.';

create table service.cursor_key (
  only_row boolean default true not null,
  inner_key bytea not null,
  outer_key bytea not null,
  constraint cursor_key_pkey PRIMARY KEY (only_row),
  constraint cursor_key_only_row_check CHECK (only_row)
);
alter table service.cursor_key enable row level security;
comment on table service.cursor_key is 'The key that signs cursors, padded for HMAC. Never leaves the database.';

create table service.history (
  id uuid default gen_random_uuid() not null,
  collection text not null,
  entity_id text not null,
  number integer not null,
  action text not null,
  snapshot jsonb not null,
  previous jsonb,
  updated_by text,
  updated_at timestamp(3) with time zone default now() not null,
  transaction_id xid8 default pg_current_xact_id() not null,
  constraint history_pkey PRIMARY KEY (id)
);
alter table service.history enable row level security;
CREATE INDEX history_collection_entity_id_number_idx ON service.history USING btree (collection, entity_id, number);
comment on table service.history is 'The history of rows of collections with history: one entry a change, written by the trigger _910_history of their table.';
comment on column service.history.collection is 'The slug. Entries of a collection that is gone stay until they are deleted by hand.';
comment on column service.history.entity_id is 'The key of the row, as in its URL.';
comment on column service.history.number is 'Rises with every change of the row.';
comment on column service.history.action is 'create, update or delete; a soft delete is a delete too.';
comment on column service.history.snapshot is 'The columns of the row after the change, of a delete before it, as the API shows values (before afterRead; json as text). Without excluded columns and those that no property declares.';
comment on column service.history.previous is 'For an update, the old values of the changed columns.';
comment on column service.history.updated_by is 'The uid of the caller; null for who has not signed in, or wrote past the API.';

create table service.idempotency_keys (
  caller text not null,
  key text not null,
  request_hash bytea not null,
  answer json,
  answered_at timestamp with time zone default now() not null,
  constraint idempotency_keys_pkey PRIMARY KEY (caller, key)
);
alter table service.idempotency_keys enable row level security;
CREATE INDEX idempotency_keys_answered_at_idx ON service.idempotency_keys USING btree (answered_at);
comment on table service.idempotency_keys is 'Answers to requests with an Idempotency-Key in the last 24 hours: caller (uid), request_hash (service_private.request_hash), answer (null without a body).';

create unlogged table service.job_workers (
  id text not null,
  asleep boolean not null,
  until timestamp with time zone not null,
  constraint job_workers_pkey PRIMARY KEY (id)
);
alter table service.job_workers enable row level security;
comment on table service.job_workers is 'Gateways that run jobs. asleep: it waits to be told of new ones; until: when it counts as gone, unless it says something before.';

create table service.jobs (
  id uuid default gen_random_uuid() not null,
  place bigint generated always as identity not null,
  task text not null,
  payload jsonb default '{}'::jsonb not null,
  status service.job_status default 'pending'::text not null,
  priority integer default 0 not null,
  queue text,
  run_at timestamp with time zone default now() not null,
  attempts integer default 0 not null,
  max_attempts integer,
  result jsonb,
  last_error text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  locked_at timestamp with time zone,
  locked_by text,
  idempotency_key text,
  concurrency_key text default ''::text not null,
  constraint jobs_pkey PRIMARY KEY (id)
);
alter table service.jobs enable row level security;
CREATE INDEX jobs_due ON service.jobs USING btree (task, concurrency_key DESC, priority DESC, run_at, place) WHERE ((status)::text = 'pending'::text);
CREATE UNIQUE INDEX jobs_idempotency_key ON service.jobs USING btree (idempotency_key) WHERE (((status)::text = ANY (ARRAY['pending'::text, 'running'::text])) AND (idempotency_key IS NOT NULL));
CREATE INDEX jobs_in_queue ON service.jobs USING btree (queue, place) WHERE ((queue IS NOT NULL) AND ((status)::text = ANY (ARRAY['pending'::text, 'running'::text])));
CREATE INDEX jobs_over ON service.jobs USING btree (status, updated_at) INCLUDE (task) WHERE ((status)::text = ANY (ARRAY['succeeded'::text, 'failed'::text]));
CREATE UNIQUE INDEX jobs_running ON service.jobs USING btree (queue) WHERE ((status)::text = 'running'::text);
CREATE TRIGGER deliveries AFTER DELETE ON service.jobs REFERENCING OLD TABLE AS gone_jobs FOR EACH STATEMENT EXECUTE FUNCTION service_private.delete_deliveries();
CREATE TRIGGER deliveries_truncated AFTER TRUNCATE ON service.jobs FOR EACH STATEMENT EXECUTE FUNCTION service_private.delete_deliveries();
comment on table service.jobs is 'Background jobs, each run at least once (service.enqueue). place: the order of enqueueing, in which those of one queue run, one at a time; priority: larger ones first; attempts: how often it was begun; max_attempts: null until it is begun, where its enqueuer named none; locked_at, locked_by: when its worker claimed it or was last heard of, and which it is; idempotency_key: while it is not finished no other job has this key; concurrency_key: of a task''s jobs with the same a worker runs only some at once. Failed jobs stay for inspection.';

create table service.login_key (
  only_row boolean default true not null,
  key text default encode(sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))), 'hex'::text) not null,
  constraint login_key_pkey PRIMARY KEY (only_row),
  constraint login_key_only_row_check CHECK (only_row)
);
alter table service.login_key enable row level security;
comment on table service.login_key is 'From this every gateway derives the passwords of the login roles of its lanes.';

create table service.metric_samples (
  series text not null,
  at timestamp with time zone not null,
  instance text not null,
  value double precision not null,
  constraint metric_samples_pkey PRIMARY KEY (series, at, instance) INCLUDE (value)
);
comment on table service.metric_samples is 'A number of a gateway in a minute, kept for 14 days. series: cpu_millicores, memory_bytes, requests_total, errors_total or event_loop_delay_ms; at: the begin of the minute; instance: the gateway.';

create table service.mfa_challenges (
  id uuid default gen_random_uuid() not null,
  factor_id uuid not null,
  wrong_codes smallint default 0 not null,
  tokens_valid_after timestamp with time zone,
  expires_at timestamp(3) with time zone not null,
  verified_at timestamp(3) with time zone,
  constraint mfa_challenges_pkey PRIMARY KEY (id),
  constraint mfa_challenges_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES service.mfa_factors(id) ON DELETE CASCADE
);
alter table service.mfa_challenges enable row level security;
CREATE INDEX mfa_challenges_factor_id_idx ON service.mfa_challenges USING btree (factor_id);
comment on table service.mfa_challenges is 'Codes that are asked for. tokens_valid_after: that of the account by then; once it is another, who asked has lost what he had shown.';

create table service.mfa_factors (
  id uuid default gen_random_uuid() not null,
  uid text not null,
  factor_type text default 'totp'::text not null,
  friendly_name text,
  sealed_secret bytea not null,
  is_proven boolean default false not null,
  last_time_step bigint,
  next_recovery_codes bytea[] not null,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  verified_at timestamp(3) with time zone,
  constraint mfa_factors_pkey PRIMARY KEY (id),
  constraint mfa_factors_factor_type_check CHECK ((factor_type = 'totp'::text)),
  constraint mfa_factors_friendly_name_check CHECK ((char_length(friendly_name) <= 255)),
  constraint mfa_factors_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.mfa_factors enable row level security;
CREATE INDEX mfa_factors_uid_created_at_idx ON service.mfa_factors USING btree (uid, created_at);
comment on table service.mfa_factors is 'Second factors of accounts. sealed_secret: what codes are computed from, encrypted by the gateway. is_proven: whether the account''s address was proven by then (service_private.prove_address). last_time_step: the newest 30 seconds since the epoch whose code was taken; next_recovery_codes: SHA-256 hashes of those that become the account''s with the first right code, which is when it is verified.';

create table service.migrations (
  number integer not null,
  name text not null,
  hash text not null,
  previous_hash text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (number)
);
alter table service.migrations enable row level security;
comment on table service.migrations is 'The service''s migrations that this database has, with the hashes of their files.';

create table service.oauth_clients (
  client_id text not null,
  is_registered boolean not null,
  secret_hash bytea,
  client_name text not null,
  redirect_uris text[] not null,
  grant_types text[] not null,
  scope text not null,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  approved_at timestamp(3) with time zone,
  closed_at timestamp(3) with time zone,
  constraint oauth_clients_pkey PRIMARY KEY (client_id),
  constraint oauth_clients_check CHECK ((is_registered OR (secret_hash IS NULL))),
  constraint oauth_clients_check1 CHECK (((cardinality(redirect_uris) > 0) OR (NOT is_registered))),
  constraint oauth_clients_client_id_check CHECK ((char_length(client_id) <= 2048)),
  constraint oauth_clients_client_name_check CHECK (((char_length(client_name) >= 1) AND (char_length(client_name) <= 200))),
  constraint oauth_clients_redirect_uris_check CHECK ((array_position(redirect_uris, NULL::text) IS NULL))
);
alter table service.oauth_clients enable row level security;
CREATE INDEX oauth_clients_created_at_idx ON service.oauth_clients USING btree (created_at) WHERE (is_registered AND (approved_at IS NULL));
comment on table service.oauth_clients is 'Clients of the OAuth server: those that registered, and those that an account let in by the URL of their metadata document (client_id). secret_hash: SHA-256, null for a public client; scope: what it asked for when it registered; approved_at: when an account first let it in; closed_at: since when no account may let it in (service.close_oauth_client). A registered client that no account lets in is deleted after a day.';

create table service.oauth_codes (
  code_hash bytea not null,
  client_id text not null,
  uid text not null,
  family_id uuid default gen_random_uuid() not null,
  redirect_uri text not null,
  code_challenge text not null,
  scope text not null,
  resource text not null,
  aal text not null,
  signed_in_at timestamp with time zone,
  nonce text,
  issued_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  constraint oauth_codes_pkey PRIMARY KEY (code_hash),
  constraint oauth_codes_aal_check CHECK ((aal = ANY (ARRAY['aal1'::text, 'aal2'::text]))),
  constraint oauth_codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES service.oauth_clients(client_id) ON DELETE CASCADE,
  constraint oauth_codes_family_id_key UNIQUE (family_id),
  constraint oauth_codes_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.oauth_codes enable row level security;
CREATE INDEX oauth_codes_client_id_idx ON service.oauth_codes USING btree (client_id);
CREATE INDEX oauth_codes_expires_at_idx ON service.oauth_codes USING btree (expires_at);
CREATE INDEX oauth_codes_uid_client_id_idx ON service.oauth_codes USING btree (uid, client_id);
comment on table service.oauth_codes is 'SHA-256 hashes of authorization codes. family_id: the family of refresh tokens that its exchange begins; code_challenge: S256 (RFC 7636); aal, signed_in_at: of the session that let the client in; nonce: of the client, for its ID token; consumed_at: when it was exchanged, or when an exchange failed.';

create table service.oauth_consents (
  uid text not null,
  client_id text not null,
  scope text not null,
  granted_at timestamp(3) with time zone default clock_timestamp() not null,
  constraint oauth_consents_pkey PRIMARY KEY (uid, client_id),
  constraint oauth_consents_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.oauth_consents enable row level security;
CREATE INDEX oauth_consents_client_id_idx ON service.oauth_consents USING btree (client_id);
comment on table service.oauth_consents is 'The clients that accounts have let in, with the scope of the last time. One whose client was deleted stays, for its person to see.';

create table service.oauth_families (
  id uuid not null,
  client_id text not null,
  uid text not null,
  scope text not null,
  aal text not null,
  signed_in_at timestamp with time zone,
  created_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoked_reason text,
  constraint oauth_families_pkey PRIMARY KEY (id),
  constraint oauth_families_aal_check CHECK ((aal = ANY (ARRAY['aal1'::text, 'aal2'::text]))),
  constraint oauth_families_check CHECK (((revoked_at IS NOT NULL) OR (revoked_reason IS NULL))),
  constraint oauth_families_client_id_fkey FOREIGN KEY (client_id) REFERENCES service.oauth_clients(client_id) ON DELETE CASCADE,
  constraint oauth_families_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.oauth_families enable row level security;
CREATE INDEX oauth_families_client_id_idx ON service.oauth_families USING btree (client_id);
CREATE INDEX oauth_families_expires_at_idx ON service.oauth_families USING btree (expires_at);
CREATE INDEX oauth_families_uid_client_id_idx ON service.oauth_families USING btree (uid, client_id);
CREATE TRIGGER announced AFTER DELETE OR UPDATE OF revoked_at ON service.oauth_families FOR EACH ROW EXECUTE FUNCTION service_private.announce_account();
comment on table service.oauth_families is 'All refresh tokens that followed from one code, and the access tokens that name the family as sid. scope: as the last refresh narrowed it; signed_in_at: when the session began that let the client in; expires_at: when its last refresh token does; revoked_reason: in words, null where none was given.';

create table service.oauth_refresh_tokens (
  token_hash bytea not null,
  family_id uuid not null,
  issued_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  constraint oauth_refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint oauth_refresh_tokens_family_id_fkey FOREIGN KEY (family_id) REFERENCES service.oauth_families(id) ON DELETE CASCADE
);
alter table service.oauth_refresh_tokens enable row level security;
CREATE INDEX oauth_refresh_tokens_family_id_idx ON service.oauth_refresh_tokens USING btree (family_id);
comment on table service.oauth_refresh_tokens is 'SHA-256 hashes of the refresh tokens of OAuth clients. consumed_at: when it was exchanged.';

create table service.oauth_requests (
  id uuid not null,
  expires_at timestamp with time zone not null,
  constraint oauth_requests_pkey PRIMARY KEY (id)
);
alter table service.oauth_requests enable row level security;
CREATE INDEX oauth_requests_expires_at_idx ON service.oauth_requests USING btree (expires_at);
comment on table service.oauth_requests is 'Request tokens of the consent page that were answered, until they expire: each counts once.';

create table service.one_time_tokens (
  token_hash bytea not null,
  uid text not null,
  purpose text not null,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  address text not null,
  generation timestamp with time zone,
  new_address text,
  password_hash text,
  session_id uuid,
  constraint one_time_tokens_pkey PRIMARY KEY (token_hash),
  constraint one_time_tokens_new_address_check CHECK (((purpose = ANY (ARRAY['email-change'::text, 'guest-link'::text])) = (new_address IS NOT NULL))),
  constraint one_time_tokens_password_hash_check CHECK (((password_hash IS NULL) OR (purpose = 'guest-link'::text))),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['password-reset'::text, 'invitation'::text, 'verification'::text, 'magic-link'::text, 'otp'::text, 'email-change'::text, 'guest-link'::text]))),
  constraint one_time_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES service.sessions(id) ON DELETE CASCADE,
  constraint one_time_tokens_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.one_time_tokens enable row level security;
CREATE INDEX one_time_tokens_session_id_idx ON service.one_time_tokens USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX one_time_tokens_uid_purpose_idx ON service.one_time_tokens USING btree (uid, purpose);
comment on table service.one_time_tokens is 'SHA-256 hashes of mailed links and codes. address, generation: email and tokens_valid_after of the account that the token was made for; session_id: the session that asked for a change of address. The token is worth nothing once one of them differs or the session is over (service_private.is_current). new_address, password_hash: the account''s once the token is redeemed. A used token stays until it expires, so that it can be told from an unknown one.';

create table service.passkey_challenges (
  challenge_hash bytea not null,
  uid text,
  expires_at timestamp(3) with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
CREATE INDEX passkey_challenges_expires_at_idx ON service.passkey_challenges USING btree (expires_at);
comment on table service.passkey_challenges is 'SHA-256 hashes of challenges that are open, each for one answer. uid: the account that makes a passkey; null for a sign-in.';

create table service.passkey_users (
  uid text not null,
  handle bytea default (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) not null,
  constraint passkey_users_pkey PRIMARY KEY (uid),
  constraint passkey_users_handle_key UNIQUE (handle),
  constraint passkey_users_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
comment on table service.passkey_users is 'The name of an account that authenticators keep: random, because anybody who has one can read it.';

create table service.passkeys (
  id text not null,
  uid text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] default '{}'::text[] not null,
  is_backed_up boolean not null,
  friendly_name text,
  is_proven boolean default false not null,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  last_used_at timestamp(3) with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_friendly_name_check CHECK ((char_length(friendly_name) <= 255)),
  constraint passkeys_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
CREATE INDEX passkeys_uid_created_at_idx ON service.passkeys USING btree (uid, created_at);
comment on table service.passkeys is 'Passkeys of accounts. id: of the credential, base64url; public_key: COSE; counter: how often its authenticator says that it was used, 0 if it does not count; is_backed_up: whether it lives on several devices; is_proven: whether the account''s address was proven by then.';

create table service.properties (
  collection text not null,
  name text not null,
  column_name text not null,
  "position" integer not null,
  type text not null,
  sql_type text not null,
  not_null boolean not null,
  required boolean not null,
  generated boolean default false not null,
  excluded boolean default false not null,
  read_roles text[],
  write_roles text[],
  attributes jsonb default '{}'::jsonb not null,
  constraint properties_pkey PRIMARY KEY (collection, name),
  constraint properties_collection_fkey FOREIGN KEY (collection) REFERENCES service.collections(slug) ON DELETE CASCADE,
  constraint properties_type_check CHECK ((type = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text, 'date'::text, 'array'::text, 'map'::text, 'geopoint'::text, 'vector'::text, 'binary'::text])))
);
alter table service.properties enable row level security;
CREATE TRIGGER excluded AFTER INSERT OR DELETE OR UPDATE ON service.properties FOR EACH STATEMENT EXECUTE FUNCTION service_private.exclude_changed_columns();
comment on table service.properties is 'The columns of a collection under their wire names.';
comment on column service.properties.sql_type is 'The type that a value is cast to: the column''s, without length; the base type of a domain.';
comment on column service.properties.read_roles is 'Roles that may read it; null: every role, empty: none.';
comment on column service.properties.attributes is 'Attributes of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, of (the elements of an array), oneOf (its blocks: {typeField, valueField, properties}), properties (the parts of a map), keyValue; for a part also type, defaultValue, readRoles, writeRoles, excluded; for a property also isId, autoValue, defaultValue, dimensions, masked (afterRead shows another value in its place: service_private.filterable), restricted (service_private.restricted_parts). column {type, default, identity, unique, stamp, enumType, index} says how a property of a file is provisioned: a column that existed before has none.';

create unlogged table service.rate_limits (
  key text not null,
  seconds bigint[] not null,
  counts integer[] not null,
  last_second bigint not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
);
alter table service.rate_limits enable row level security;
CREATE INDEX rate_limits_last_second ON service.rate_limits USING btree (last_second);
comment on table service.rate_limits is 'Requests that rate limits have allowed: for each key, a hash of limiter and subject, the seconds since the epoch with their counts.';

create table service.recovery_codes (
  uid text not null,
  code_hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (uid, code_hash),
  constraint recovery_codes_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.recovery_codes enable row level security;
comment on table service.recovery_codes is 'SHA-256 hashes of codes that stand in for a second factor of the account, each once. One that was used is deleted.';

create table service.refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  issued_at timestamp(3) with time zone default clock_timestamp() not null,
  expires_at timestamp(3) with time zone not null,
  rotated_at timestamp(3) with time zone,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES service.sessions(id) ON DELETE CASCADE
);
alter table service.refresh_tokens enable row level security;
CREATE INDEX refresh_tokens_session_id_idx ON service.refresh_tokens USING btree (session_id);
comment on table service.refresh_tokens is 'SHA-256 hashes of the refresh tokens of sessions. rotated_at: when it was first exchanged for another one.';

create table service.relations (
  collection text not null,
  name text not null,
  kind text not null,
  target text not null,
  local_columns text[] not null,
  target_columns text[] not null,
  junction_schema text,
  junction_table text,
  junction_source text[],
  junction_target text[],
  pivot jsonb,
  on_delete text,
  via jsonb,
  on_update text,
  constraint relations_pkey PRIMARY KEY (collection, name),
  constraint relations_collection_fkey FOREIGN KEY (collection) REFERENCES service.collections(slug) ON DELETE CASCADE,
  constraint relations_kind_check CHECK ((kind = ANY (ARRAY['belongsTo'::text, 'hasOne'::text, 'hasMany'::text, 'manyToMany'::text, 'via'::text]))),
  constraint relations_target_fkey FOREIGN KEY (target) REFERENCES service.collections(slug) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
alter table service.relations enable row level security;
CREATE INDEX relations_target_idx ON service.relations USING btree (target);
comment on table service.relations is 'The ways from one collection to another: direct (local_columns = target_columns), or through a junction table (local_columns = junction_source, junction_target = target_columns).';
comment on column service.relations.pivot is 'The junction''s own properties: [{name, columnName, position, type, sqlType, notNull, required, attributes}]; null for a pure junction.';
comment on column service.relations.via is 'For a relation over a chain of joins: {cardinality: one or many, steps: [{schema, table, from, to: columns}]}, each from the table before to this one; the last is the target''s. junction_source and junction_target are the columns of service_private.via_source.';
comment on column service.relations.on_update is 'The action of a foreign key when the referenced key changes, in PostgreSQL''s words; null: none is set.';

create table service.sessions (
  id uuid default gen_random_uuid() not null,
  uid text not null,
  method text not null,
  aal text default 'aal1'::text not null,
  user_agent text default 'unknown'::text not null,
  ip_address text default 'unknown'::text not null,
  started_at timestamp(3) with time zone default clock_timestamp() not null,
  last_used_at timestamp(3) with time zone default clock_timestamp() not null,
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_aal_check CHECK ((aal = ANY (ARRAY['aal1'::text, 'aal2'::text]))),
  constraint sessions_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.sessions enable row level security;
CREATE INDEX sessions_uid_started_at_idx ON service.sessions USING btree (uid, started_at);
CREATE TRIGGER announced AFTER UPDATE OF revoked_at ON service.sessions FOR EACH ROW WHEN ((new.revoked_at IS NOT NULL)) EXECUTE FUNCTION service_private.announce_account();
comment on table service.sessions is 'A session is one sign-in. method: how (password, anonymous, magic-link, otp, mfa or a provider); aal: with one factor or two; expires_at: when its last refresh token does; a revoked one stays until then, so that it can be told from an unknown one.';

create table service.slow_request_shapes (
  hour timestamp with time zone not null,
  shape uuid not null,
  method text not null,
  route text not null,
  collection text,
  filter text[] not null,
  sort text[] not null,
  include text[] not null,
  requests bigint not null,
  total_ms double precision not null,
  slowest jsonb not null,
  constraint slow_request_shapes_pkey PRIMARY KEY (hour, shape)
);
comment on table service.slow_request_shapes is 'Slow requests by hour and shape, without values; service.slow_requests shows them. slowest: {durationMs, waitedMs, databaseMs, rows, status, requestId}.';

create table service.sources (
  path text not null,
  text text not null,
  hash text not null,
  installed_at timestamp with time zone default now() not null,
  constraint sources_pkey PRIMARY KEY (path)
);
alter table service.sources enable row level security;
comment on table service.sources is 'The files of sql/ and policies/ as this database has them; rowgate migrate --plan shows what an upgrade changes of them. hash: SHA-256 of the text, hex.';

create table service.storage_access (
  only_row boolean default true not null,
  given jsonb default '{}'::jsonb not null,
  authorizer text,
  has_policies boolean default false not null,
  open_for text[] default '{}'::text[] not null,
  constraint storage_access_pkey PRIMARY KEY (only_row),
  constraint storage_access_only_row_check CHECK (only_row)
);
alter table service.storage_access enable row level security;
comment on table service.storage_access is 'One row. given: the argument of service_private.use_storage_rules, from which everything is made, policies and triggers too; authorizer: the function that has to agree to every action on files; has_policies: whether storage_policies has some; open_for: the operations for which anonymous callers are not rejected at once.';

create table service.storage_policies (
  place integer not null,
  path text not null,
  pattern text not null,
  names text[] not null,
  operations text[] not null,
  allow text not null,
  subject text,
  id text,
  constraint storage_policies_pkey PRIMARY KEY (place),
  constraint storage_policies_allow_check CHECK ((allow = ANY (ARRAY['public'::text, 'authenticated'::text, 'function'::text, 'row'::text])))
);
alter table service.storage_policies enable row level security;
comment on table service.storage_policies is 'Policies of files by their keys; any that allows is enough, and where there are some, an action that none allows is refused. path: as written; pattern, names: of service_private.key_pattern; subject: the function, or the collection whose row decides; id: the name in the path that is its id.';

create table service.storage_properties (
  collection text not null,
  place integer not null,
  property text not null,
  source text not null,
  destination text,
  max_size bigint,
  accepted text[],
  bucket text default 'default'::text not null,
  cleanup boolean default false not null,
  column_name text default ''::text not null,
  sql_type text default ''::text not null,
  json_path text default ''::text not null,
  constraint storage_properties_pkey PRIMARY KEY (collection, place),
  constraint storage_properties_collection_fkey FOREIGN KEY (collection) REFERENCES service.collections(slug) ON DELETE CASCADE
);
alter table service.storage_properties enable row level security;
comment on table service.storage_properties is 'The properties that hold files, at any depth, with their limits. property: a dotted path without places in arrays; destination: a pattern of the keys that are its files'', null where it has no path of its own; accepted: types and endings, null: any; cleanup: a file goes when no row names it; json_path: where they stand in the column, if that is JSON.';

create table service.storage_rows (
  collection text not null,
  version bigint not null,
  key_types jsonb not null,
  seen text not null,
  changed text,
  constraint storage_rows_pkey PRIMARY KEY (collection),
  constraint storage_rows_collection_fkey FOREIGN KEY (collection) REFERENCES service.collections(slug) ON DELETE CASCADE
);
alter table service.storage_rows enable row level security;
comment on table service.storage_rows is 'The statements of policies about rows, as service_private.file_statements writes them, for the catalog of this version.';

create table service.storage_triggers (
  place integer not null,
  path text not null,
  pattern text not null,
  names text[] not null,
  events text[] not null,
  handler text not null,
  constraint storage_triggers_pkey PRIMARY KEY (place)
);
alter table service.storage_triggers enable row level security;
comment on table service.storage_triggers is 'Functions that are told of files that were stored or deleted. path, pattern, names: as of storage_policies.';

create table service.storage_uploads (
  id uuid not null,
  owner text,
  creator jsonb,
  source text not null,
  bucket text not null,
  key text not null,
  content_type text not null,
  metadata text not null,
  length bigint not null,
  received bigint default 0 not null,
  held jsonb,
  holder uuid,
  claimant uuid,
  created_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  swept_at timestamp with time zone,
  constraint storage_uploads_pkey PRIMARY KEY (id),
  constraint storage_uploads_check CHECK (((received >= 0) AND (received <= length))),
  constraint storage_uploads_length_check CHECK ((length > 0))
);
alter table service.storage_uploads enable row level security;
CREATE INDEX storage_uploads_coalesce_idx ON service.storage_uploads USING btree (COALESCE(finished_at, created_at));
comment on table service.storage_uploads is 'Uploads in pieces, by the tus protocol. owner: the account that may continue it; null: any caller that knows its id. creator: the account that is recorded as the uploader. metadata: as it was sent. received: how many of its bytes are durable; held: state of its store. holder: the request that writes now, which alone may change the two; claimant: the newest request that wants to, for which the holder gives way. finished_at: the file exists, the row only says so. swept_at: the last attempt to finish or remove it, or when it was first seen complete.';

create table service.user_identities (
  provider text not null,
  provider_id text not null,
  uid text not null,
  email text,
  email_verified boolean default false not null,
  is_proven boolean default false not null,
  profile jsonb default '{}'::jsonb not null,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  constraint user_identities_pkey PRIMARY KEY (provider, provider_id),
  constraint user_identities_uid_fkey FOREIGN KEY (uid) REFERENCES service.users(uid) ON DELETE CASCADE
);
alter table service.user_identities enable row level security;
CREATE INDEX user_identities_uid_idx ON service.user_identities USING btree (uid);
comment on table service.user_identities is 'The identities of accounts at other providers. email_verified: whether the provider vouches for that address; is_proven: whether it was linked by a person who had proven the account''s address.';

create table service.users (
  uid text default (gen_random_uuid())::text not null,
  email text not null,
  display_name text,
  photo_url text,
  roles text[] default '{}'::text[] not null,
  password_hash text,
  password_proven boolean default false not null,
  is_anonymous boolean default false not null,
  email_verified boolean default false not null,
  disabled boolean default false not null,
  metadata jsonb default '{}'::jsonb not null,
  tokens_valid_after timestamp with time zone,
  created_at timestamp(3) with time zone default clock_timestamp() not null,
  updated_at timestamp(3) with time zone default clock_timestamp() not null,
  constraint users_pkey PRIMARY KEY (uid),
  constraint users_display_name_check CHECK ((char_length(display_name) <= 255)),
  constraint users_email_check CHECK ((NOT (email IS DISTINCT FROM service_private.normal_email(email)))),
  constraint users_email_key UNIQUE (email),
  constraint users_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint users_photo_url_check CHECK ((char_length(photo_url) <= 2048)),
  constraint users_roles_check CHECK (((array_position(roles, NULL::text) IS NULL) AND (array_position(roles, ''::text) IS NULL) AND (POSITION((','::text) IN (array_to_string(roles, ''::text))) = 0) AND (NOT (roles && '{anon,service}'::text[])))),
  constraint users_uid_check CHECK ((((char_length(uid) >= 1) AND (char_length(uid) <= 128)) AND (uid = btrim(uid)) AND (uid <> ALL (ARRAY['service'::text, 'anonymous'::text, 'anon'::text])) AND (uid !~ '^api-key:'::text)))
);
alter table service.users enable row level security;
CREATE INDEX users_created_at_uid_idx ON service.users USING btree (created_at, uid);
CREATE INDEX users_uid_idx ON service.users USING btree (uid) WHERE ('admin'::text = ANY (roles));
CREATE TRIGGER announced AFTER DELETE OR UPDATE OF roles, disabled, is_anonymous, tokens_valid_after ON service.users FOR EACH ROW EXECUTE FUNCTION service_private.announce_account();
comment on table service.users is 'The accounts of people. uid: a UUID, or the id that an imported account has elsewhere. email: in its normal form (service_private.normal_email). password_hash: a PHC string of argon2id, null without a password. password_proven: whether the address was proven when the password was set. tokens_valid_after: the account''s generation; access tokens of before are refused (service_private.account_standing), and one-time tokens of another one are worth nothing (service_private.is_current).';

create table service.webhook_deliveries (
  id uuid not null,
  job_id uuid not null,
  webhook_id text not null,
  event_id uuid not null,
  attempt integer not null,
  status_code integer not null,
  response_body text,
  error text,
  duration_ms integer not null,
  at timestamp(3) with time zone default clock_timestamp() not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (id)
);
alter table service.webhook_deliveries enable row level security;
CREATE INDEX webhook_deliveries_job_id_idx ON service.webhook_deliveries USING btree (job_id);
CREATE INDEX webhook_deliveries_webhook_id_at_idx ON service.webhook_deliveries USING btree (webhook_id, at);
comment on table service.webhook_deliveries is 'Attempts to deliver an event to a webhook, kept as long as their job. status_code: 0 where no answer came; response_body: its first 1000 characters; error: why the attempt failed; at: its end.';

create table service.webhooks (
  id text not null,
  place integer not null,
  given jsonb not null,
  schema_name text not null,
  table_name text not null,
  events text[] not null,
  columns text[],
  ordered boolean not null,
  max_attempts integer not null,
  enabled boolean not null,
  relation regclass,
  key text[],
  soft_delete text,
  may_hold_json boolean,
  excluded text[] default '{}'::text[] not null,
  open_parts jsonb,
  paused_at timestamp(3) with time zone,
  constraint webhooks_pkey PRIMARY KEY (id)
);
alter table service.webhooks enable row level security;
comment on table service.webhooks is 'The webhooks of the last start. given: what service_private.use_webhooks was given, from which the rest is made; columns: an update is told when one of these changed, null: any; relation, key, soft_delete, may_hold_json: of service_private.resolve_webhooks; excluded: columns that are not sent; open_parts: for each column with excluded parts SQL text of its value ($1) without them (both of service_private.exclude_columns); paused_at: the receiver answered 410, until a start or service.webhook_resume.';

create view service.cron_jobs as
 SELECT id,
    name,
    description,
    schedule,
    timezone,
    enabled,
    state,
    last_run_at,
    next_run_at,
    last_duration_ms,
    last_error,
    total_runs,
    total_failures
   FROM service_private.cron_job_rows(( SELECT COALESCE(jsonb_agg(definition), '[]'::jsonb) AS "coalesce"
           FROM service.cron_definitions d)) r(id, name, description, schedule, timezone, enabled, state, last_run_at, next_run_at, last_duration_ms, last_error, total_runs, total_failures);
comment on table service.cron_jobs is 'The scheduled jobs of the gateways that run. state: idle, running, disabled, error (never due).';

create view service.job_overview as
 SELECT task,
    count(*) FILTER (WHERE ((status)::text = 'pending'::text)) AS pending,
    count(*) FILTER (WHERE (((status)::text = 'pending'::text) AND (run_at <= now()))) AS due,
    count(*) FILTER (WHERE ((status)::text = 'running'::text)) AS running,
    count(*) FILTER (WHERE ((status)::text = 'succeeded'::text)) AS succeeded,
    count(*) FILTER (WHERE ((status)::text = 'failed'::text)) AS failed,
    min(run_at) FILTER (WHERE (((status)::text = 'pending'::text) AND (run_at <= now()))) AS oldest_due,
    (array_agg(last_error ORDER BY updated_at DESC) FILTER (WHERE (last_error IS NOT NULL)))[1] AS last_error
   FROM service.jobs j
  GROUP BY task;
comment on table service.job_overview is 'Jobs by task, as long as they are kept. due: of those that are pending; oldest_due: since when the one that waits longest is due; last_error: of the job that failed last.';

create view service.oauth_client_overview as
 SELECT client_id,
    client_name,
        CASE
            WHEN is_registered THEN 'registered'::text
            ELSE 'document'::text
        END AS kind,
    redirect_uris,
    created_at,
    last_used_at,
    accounts,
    closed_at
   FROM ((service.oauth_clients c
     LEFT JOIN LATERAL ( SELECT max(rotated_at) AS last_used_at
           FROM service.oauth_family_overview o
          WHERE (client_id = client_id)) f ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) AS accounts
           FROM service.oauth_consents o
          WHERE (client_id = client_id)) s ON (true));
comment on table service.oauth_client_overview is 'The clients of the OAuth server. kind: registered, or known by the metadata document at client_id; redirect_uris: as the document last said; last_used_at: when it last got tokens; accounts: how many let it in; closed_at: since when none may (service.close_oauth_client).';

create view service.oauth_consent_overview as
 SELECT uid,
    email,
    client_id,
    client_name,
    scope,
    granted_at,
    last_used_at
   FROM (((service.oauth_consents s
     JOIN service.users u ON ((uid = uid)))
     LEFT JOIN service.oauth_clients c ON ((client_id = client_id)))
     LEFT JOIN LATERAL ( SELECT max(rotated_at) AS last_used_at
           FROM service.oauth_family_overview o
          WHERE ((uid = uid) AND (client_id = client_id))) f ON (true));
comment on table service.oauth_consent_overview is 'The clients that accounts let in. client_name: null for a client that is gone; scope: as the person last allowed it; last_used_at: when the client last got tokens for the account.';

create view service.oauth_family_overview as
 SELECT id,
    client_id,
    client_name,
    uid,
    email,
    scope,
    aal,
    created_at,
    rotated_at,
    expires_at,
    revoked_at,
    revoked_reason
   FROM (((service.oauth_families f
     JOIN service.oauth_clients c ON ((client_id = client_id)))
     JOIN service.users u ON ((uid = uid)))
     LEFT JOIN LATERAL ( SELECT max(issued_at) AS rotated_at
           FROM service.oauth_refresh_tokens r
          WHERE (family_id = id)) t ON (true));
comment on table service.oauth_family_overview is 'Families of refresh tokens, until 30 days after they expired: one each time that an account let a client in. id: the sid of its access tokens; scope: as the last refresh narrowed it; rotated_at: when it last got tokens, which an agent at work does every hour; revoked_reason: null where a DBA''s own statement revoked it.';

create view service.slow_requests as
 SELECT hour,
    method,
    route,
    collection,
    filter,
    sort,
    include,
    requests,
    total_ms,
    (total_ms / (requests)::double precision) AS mean_ms,
    "durationMs" AS slowest_ms,
    "waitedMs" AS waited_ms,
    "databaseMs" AS database_ms,
    rows,
    status,
    "requestId" AS request_id
   FROM (service.slow_request_shapes s
     CROSS JOIN LATERAL jsonb_to_record(slowest) r("durationMs" double precision, "waitedMs" double precision, "databaseMs" double precision, rows bigint, status integer, "requestId" uuid))
  WHERE (hour > (now() - '7 days'::interval))
  ORDER BY hour DESC, total_ms DESC;
comment on table service.slow_requests is 'Requests that took SERVICE_SLOW_REQUEST_MS or longer, by hour and shape: the 100 shapes of each hour that took the most time in all, for 7 days. filter, sort, include: names that the requests used. requests, total_ms, mean_ms: of all of the shape; slowest_ms, the time that its statements waited for a connection (waited_ms) and that PostgreSQL was at them (database_ms), rows, status, request_id: of the slowest.';
function service."create"(collection text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/create.sql a0a8850d9358
function service.access(collection text, id text, operation text DEFAULT 'read'::text, claims jsonb DEFAULT service_private.service_claims(), proposed jsonb DEFAULT NULL::jsonb) returns TABLE(part text, name text, origin text, effect text, clause text, expression text, verdict text, message text): plpgsql, volatile, set jit=off; sql/public/access/access.sql 0450ca7c3f98
function service.account_claims(uid text) returns jsonb: sql, stable; sql/public/identity/account_claims.sql 5a50e19726fa
function service.aggregate(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/aggregate.sql 60c3d06a5cb8
function service.audit(rest double precision DEFAULT 0) returns jsonb: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan; sql/public/audit/audit.sql 3554b06883a7
function service.audit_checks() returns TABLE(family text, id text, severity text, confidence text, title text, impact text): sql, immutable, parallel safe; sql/public/audit/audit_checks.sql 75568ee77ef5
function service.audit_drift() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan; sql/public/audit/audit_drift.sql dc630371f62e
function service.audit_extensions() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/audit/audit_extensions.sql 44f4ae2dbdfd
function service.audit_indexes() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/audit/audit_indexes.sql bb3cb7854f14
function service.audit_policies() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set enable_nestloop=off; sql/public/audit/audit_policies.sql c95efb09c31f
function service.audit_reach() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/audit/audit_reach.sql 82b2adc04979
function service.audit_routines() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/audit/audit_routines.sql d12fb3d27aae
function service.audit_tables() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/audit/audit_tables.sql af268d671832
function service.audit_views() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set enable_nestloop=off; sql/public/audit/audit_views.sql fa0c7ab5c38e
function service.batch(operations jsonb, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/batch.sql 3d53c1253996
function service.broadcast(channel text, event text, payload jsonb) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp set jit=off; sql/public/realtime/as_owner/broadcast.sql 5f8bfd04a872
function service.call(name text, arguments json DEFAULT '{}'::json, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns json: plpgsql, volatile; sql/public/functions/call.sql cfd49b870217
function service.change_sources() returns TABLE(collection text, joined text, relation oid, name text, key_column text, key_type text, kind "char", told boolean): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/realtime/change_sources.sql dfc74ff766d5
function service.claim(name text) returns text: sql, stable, parallel safe, for service_user; sql/public/identity/claim.sql 73faa2958f1a
function service.close_oauth_client(client_id text) returns boolean: plpgsql, volatile; sql/public/oauth/close_oauth_client.sql a1bd5cb3911b
function service.collection_problems(project jsonb) returns TABLE(path text, problem text, warning boolean): plpgsql, volatile, set standard_conforming_strings=on set jit=off; sql/public/schema/collection_problems.sql e7e1016dc346
function service.compile(shape jsonb, roles text[], OUT statement text, OUT lane text, OUT enter_first boolean, OUT revalidates boolean, OUT before text) returns record: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan; sql/public/data/as_owner/compile.sql 21da8daeb5a0
function service.contract() returns json: sql, stable, set jit=off; sql/public/schema/contract.sql 495161bd335e
function service.count(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/count.sql dc3628e11936
function service.create_many(collection text, rows jsonb, claims jsonb DEFAULT service_private.service_claims(), on_conflict jsonb DEFAULT NULL::jsonb) returns json: sql, volatile; sql/public/data/create_many.sql f9f2636b9240
function service.create_related(collection text, id text, relation text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/create_related.sql bb42212024b0
function service.cron_enable(id text, enabled boolean, updated_by text DEFAULT SESSION_USER) returns boolean: sql, volatile; sql/public/cron/cron_enable.sql 1eeea792e501
function service.cron_next(schedule text, timezone text DEFAULT 'UTC'::text, after timestamp with time zone DEFAULT now()) returns timestamp with time zone: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/public/cron/cron_next.sql b3e857dfcba9
function service.define_collection(definition jsonb) returns boolean: plpgsql, volatile, set jit=off; sql/public/schema/define_collection.sql a0a871b88431
function service.delete_factors(uid text, factors uuid[] DEFAULT NULL::uuid[]) returns boolean: plpgsql, volatile; sql/public/accounts/delete_factors.sql aab164373837
function service.delete_identities(uid text, provider text, provider_id text DEFAULT NULL::text) returns boolean: plpgsql, volatile; sql/public/accounts/delete_identities.sql b30ba57ed69c
function service.delete_passkeys(uid text, id text DEFAULT NULL::text) returns boolean: plpgsql, volatile; sql/public/accounts/delete_passkeys.sql 97db5b8fcd3c
function service.dependents() returns TABLE(kind text, name text, definition text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/schema/dependents.sql c407a5f63804
function service.end_all_sessions(uid text) returns void: sql, volatile; sql/public/accounts/end_all_sessions.sql 24b4ea1534c0
function service.enqueue(task text, payload jsonb DEFAULT '{}'::jsonb, options jsonb DEFAULT '{}'::jsonb) returns uuid: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/public/jobs/as_owner/enqueue.sql ba492ae82cd7
function service.enter(uid text, roles text DEFAULT ''::text, is_anonymous text DEFAULT 'false'::text, jwt text DEFAULT '{}'::text, request_claims text DEFAULT NULL::text) returns boolean: plpgsql, volatile, for service_user; sql/public/identity/enter.sql 00df7801cef9
function service.explain(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns SETOF text: plpgsql, volatile; sql/public/data/explain.sql 79c719d233ba
function service.fail(status integer, code text, message text, details jsonb DEFAULT NULL::jsonb) returns text: plpgsql, volatile, parallel safe, for service_user; sql/public/identity/fail.sql fc6a18ed799a
function service.get(collection text, id text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/get.sql b1d1dea00307
function service.identities(uid text) returns TABLE(provider text, provider_id text, email text, email_verified boolean, is_proven boolean, created_at timestamp with time zone): sql, stable; sql/public/accounts/identities.sql 119bcf34a8e6
function service.introspected_tables(schema text, unprotected text) returns SETOF service.introspected_table: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/schema/introspected_tables.sql 69c28f665470
function service.is_anonymous() returns boolean: sql, stable, parallel safe, for service_user; sql/public/identity/is_anonymous.sql ad4c8e54b895
function service.job_cancel(id uuid) returns boolean: plpgsql, volatile; sql/public/jobs/job_cancel.sql 304c477d308f
function service.job_claim(most integer, worker_id text, tasks text[]) returns SETOF service.jobs: sql, volatile; sql/public/jobs/job_claim.sql 5932372c7184
function service.job_complete(id uuid, claim jsonb, result jsonb DEFAULT NULL::jsonb) returns boolean: sql, volatile; sql/public/jobs/job_complete.sql 9b5a74619842
function service.job_fail(id uuid, error text, retry_at timestamp with time zone, claim jsonb) returns boolean: plpgsql, volatile; sql/public/jobs/job_fail.sql 934b4a2f243a
function service.job_heartbeat(id uuid, claim jsonb) returns boolean: sql, volatile; sql/public/jobs/job_heartbeat.sql 27f908a88d21
function service.job_reap(ms bigint) returns integer: plpgsql, volatile, set jit=off; sql/public/jobs/job_reap.sql e0fcb3a156c8
function service.job_retry(id uuid) returns boolean: plpgsql, volatile; sql/public/jobs/job_retry.sql 012a8559f2d2
function service.job_sweep(succeeded interval DEFAULT '3 days'::interval, failed interval DEFAULT '30 days'::interval, most integer DEFAULT NULL::integer) returns integer: plpgsql, volatile, set jit=off; sql/public/jobs/job_sweep.sql aa14e1ff936f
function service.jobs_report() returns json: sql, stable, set jit=off; sql/public/jobs/jobs_report.sql c30ee94fef67
function service.jwt() returns jsonb: sql, stable, parallel safe, for service_user; sql/public/identity/jwt.sql 9472049e9c7e
function service.list(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/list.sql 6ae766880c56
function service.list_history(collection text, id text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/list_history.sql b0c049fe0923
function service.metric_history(series text, minutes integer DEFAULT 60) returns json: sql, stable, set search_path=pg_catalog, pg_temp; sql/public/metrics/metric_history.sql 1d052d75198c
function service.passkeys(uid text) returns TABLE(id text, friendly_name text, is_backed_up boolean, is_proven boolean, created_at timestamp with time zone, last_used_at timestamp with time zone): sql, stable; sql/public/accounts/passkeys.sql 0f4f01b45f7b
function service.plan_changes() returns TABLE(relation oid, name text, statement text, problem text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/realtime/plan_changes.sql ff5cb3fd8ba0
function service.policies_sql() returns text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/policies/policies_sql.sql 202b58821274
function service.policy_matrix(roles text[] DEFAULT service_private.asked_roles()) returns TABLE(collection text, operation text, caller text, verdict text, policies text[]): plpgsql, volatile, set jit=off; sql/public/access/policy_matrix.sql 843ab3f6fe29
function service.provision(policies boolean DEFAULT true) returns SETOF service.provision_step: plpgsql, volatile, set search_path=public, pg_temp set standard_conforming_strings=on set jit=off; sql/public/schema/provision.sql 6edec981f99f
function service.provision_plan() returns SETOF service.provision_step: plpgsql, stable, set jit=off; sql/public/schema/provision_plan.sql e121ce32bbad
function service.realtime_report() returns json: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/realtime/realtime_report.sql 01841cbda9f8
function service.reload() returns void: sql, volatile; sql/public/schema/reload.sql 3ef134edfdb9
function service.remove(collection text, id text, claims jsonb DEFAULT service_private.service_claims(), hard boolean DEFAULT false) returns void: sql, volatile; sql/public/data/remove.sql 3ccb2f304481
function service.remove_many(collection text, ids jsonb, claims jsonb DEFAULT service_private.service_claims(), hard boolean DEFAULT false) returns json: sql, volatile; sql/public/data/remove_many.sql 08707191a867
function service.remove_related(collection text, id text, relation text, related_id text, claims jsonb DEFAULT service_private.service_claims(), hard boolean DEFAULT false) returns void: sql, volatile; sql/public/data/remove_related.sql 39e67496e988
function service.reopen_oauth_client(client_id text) returns boolean: plpgsql, volatile; sql/public/oauth/reopen_oauth_client.sql 8d77e9883a56
function service.revert(collection text, id text, entry uuid, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/revert.sql 510e1b06cb1c
function service.roles() returns text: sql, stable, parallel safe, for service_user; sql/public/identity/roles.sql f5b32e1ce6a6
function service.schema_plan() returns TABLE(step integer, kind text, target text, statement text, concurrent boolean, verdict text, detail text, remedy text, lock text, effect text, row_estimate bigint, bytes bigint, safer text, risk text): plpgsql, stable, set jit=off; sql/public/schema/schema_plan.sql 84e48ef32737
function service.settings_report() returns json: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/schema/settings_report.sql bd36126d8eed
function service.sign_in_outcome(provider text, provider_id text, email text, email_verified boolean) returns TABLE(outcome text, uid text, reason text, explanation text): sql, stable; sql/public/accounts/sign_in_outcome.sql 03ddfaa0d2d6
function service.storage_why(operation text, key text, claims jsonb DEFAULT service_private.service_claims(), more jsonb DEFAULT '{}'::jsonb) returns jsonb: plpgsql, volatile, set TimeZone=UTC set jit=off; sql/public/storage/storage_why.sql 76f59acbf066
function service.suggested_policies(schema text, unprotected text DEFAULT 'skip'::text) returns text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/policies/suggested_policies.sql 0fcf80b8ae5a
function service.table_metadata(name text) returns json: sql, stable, set search_path=pg_catalog, public, pg_temp; sql/public/schema/table_metadata.sql b7dde1206000
function service.try(request json, claims jsonb DEFAULT service_private.service_claims()) returns json: plpgsql, volatile; sql/public/access/try.sql fe0c4dd0b873
function service.try_cast(value text, type anyelement) returns anyelement: plpgsql, stable, parallel safe, for service_user; sql/public/identity/try_cast.sql c1cf706f30bd
function service.uid() returns text: sql, stable, parallel safe, for service_user; sql/public/identity/uid.sql ad475610d750
function service.unmapped_tables(mapped text[]) returns text[]: sql, stable, set search_path=pg_catalog, public, pg_temp; sql/public/schema/unmapped_tables.sql 63c514baefc1
function service.unreachable_policies() returns TABLE(table_name text, policy text, roles text, rewriting text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/public/policies/unreachable_policies.sql 6e896fba08e8
function service.update(collection text, id text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/update.sql a1a58b1be615
function service.update_many(collection text, updates jsonb, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/update_many.sql d650560624e2
function service.update_related(collection text, id text, relation text, related_id text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_private.service_claims()) returns json: sql, volatile; sql/public/data/update_related.sql 9268f2918b12
function service.webhook_replay(job_id uuid) returns uuid: plpgsql, volatile; sql/public/webhooks/webhook_replay.sql 094e98e61805
function service.webhook_resume(id text) returns boolean: sql, volatile; sql/public/webhooks/webhook_resume.sql 8ba0a84bbe8e
function service.withdraw_oauth_consent(uid text, client_id text) returns boolean: sql, volatile; sql/public/oauth/withdraw_oauth_consent.sql 094abcdbcf9b
function service_private.accepts_file(accepted text[], content_type text, file_name text) returns boolean: sql, immutable, parallel safe; sql/storage/limits/accepts_file.sql 28f1387d9301
function service_private.access_answer(collection text, id text, operation text, claims jsonb, proposed jsonb) returns json: plpgsql, volatile; sql/access/access_answer.sql c92075930fdf
function service_private.access_in_words(operation text, limits jsonb, by_policies text, words text, is_deleted boolean, policies jsonb) returns text: sql, immutable, parallel safe; sql/access/access_in_words.sql 671cb17c7afa
function service_private.access_limits(served service.collections, operation text, stored text, proposed jsonb, claims jsonb) returns TABLE(part text, name text, verdict text, message text, reason text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/access/access_limits.sql 29bd861467f1
function service_private.account(uid text, session_id text) returns json: plpgsql, stable; sql/accounts/account/account.sql ba89f808610a
function service_private.account_fields() returns TABLE(n integer, name text, column_name text, property jsonb): sql, immutable, parallel safe; sql/collections/declared/account_fields.sql 1556f23733bf
function service_private.account_hook_function(hook text, function text) returns regprocedure: sql, stable; sql/accounts/hooks/account_hook_function.sql adf76ef647e5
function service_private.account_hook_kinds() returns TABLE(hook text, arguments text[], result text): sql, immutable, parallel safe; sql/accounts/hooks/account_hook_kinds.sql c56a6006008c
function service_private.account_json(account service.users, method text) returns json: sql, stable; sql/accounts/account/account_json.sql 92b805b2c111
function service_private.account_of_token(token_hash bytea) returns service.users: plpgsql, volatile; sql/accounts/proof/account_of_token.sql f2b7625c5685
function service_private.account_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/account_problems.sql f932fc49674a
function service_private.account_rows(on_table text, key text, uid text, columns text[], account_columns text[], created text, condition text DEFAULT NULL::text) returns text: sql, immutable; sql/provision/triggers/account_rows.sql e4b7460e37d0
function service_private.account_rules(definition jsonb) returns TABLE(suffix text, rule jsonb): sql, immutable, parallel safe; policies/account_rules.sql 3ac32c9fac49
function service_private.account_schema_faults() returns text[]: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/accounts/schema/account_schema_faults.sql 2487f4414f00
function service_private.account_standing(uid text, session_id text, issued_at numeric) returns jsonb: plpgsql, stable; sql/accounts/account/account_standing.sql 012e86f6e17d
function service_private.accounts_by_uid(uids text[]) returns json: sql, stable; sql/accounts/manage/accounts_by_uid.sql 383ac40efe0c
function service_private.add_identity(uid text, provider text, provider_id text, email text, vouches boolean, is_proven boolean, profile jsonb DEFAULT '{}'::jsonb) returns void: sql, volatile; sql/accounts/identities/add_identity.sql a6bfd524eda0
function service_private.add_passkey(uid text, session_id text, id text, public_key bytea, counter bigint, transports text[], is_backed_up boolean, friendly_name text DEFAULT NULL::text) returns json: plpgsql, volatile; sql/accounts/passkeys/add_passkey.sql a26b32c0cc35
function service_private.address_letters() returns int4multirange: sql, immutable, parallel safe; sql/accounts/account/address_letters.sql b00f6a8febff
function service_private.admin_clause() returns text: sql, immutable, parallel safe; sql/audit/admin_clause.sql e63e3e5f6bdd
function service_private.after_user_create(account service.users) returns void: plpgsql, volatile; sql/accounts/hooks/after_user_create.sql 18fc00d34e67
function service_private.aggregate_alias(aggregate jsonb) returns text: sql, immutable, parallel safe; sql/compile/aggregate/aggregate_alias.sql 2e96b2426788
function service_private.aggregate_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/aggregate/aggregate_answer.sql 73a8ab525a18
function service_private.aggregate_call(fn text, expression text, property service.properties) returns text: plpgsql, stable; sql/compile/aggregate/aggregate_call.sql 68647fde5867
function service_private.aggregate_columns(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/aggregate/aggregate_columns.sql 9cdc16521361
function service_private.aggregate_order(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/aggregate/aggregate_order.sql 173fd9842f57
function service_private.aggregate_property(collection text, field text, roles text[]) returns service.properties: plpgsql, stable; sql/compile/aggregate/aggregate_property.sql 0c880bb25b4a
function service_private.aggregate_value(collection text, aggregate jsonb, roles text[], OUT expression text, OUT sql_type text) returns record: plpgsql, stable; sql/compile/aggregate/aggregate_value.sql 07de6a963eb2
function service_private.all_written(all_written boolean) returns boolean: plpgsql, volatile, for service_user; sql/write/all_written.sql 8df2cd1c311c
function service_private.allow_file(caller text[], request jsonb) returns jsonb: plpgsql, volatile, for service_user; sql/storage/authorize/allow_file.sql e1d994fecff9
function service_private.allows_call(function text, request jsonb, params jsonb DEFAULT '{}'::jsonb) returns boolean: plpgsql, volatile, for service_user; sql/storage/authorize/allows_call.sql acd904747423
function service_private.allows_row(collection text, id text, changes boolean) returns boolean: plpgsql, volatile, for service_user; sql/storage/authorize/allows_row.sql 6bfaddca8fcb
function service_private.allows_unruled(operation text) returns boolean: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/authorize/as_owner/allows_unruled.sql 797f1ac9c663
function service_private.altered_policy(name text, on_table text, using_clause text, check_clause text) returns text: sql, immutable, parallel safe; sql/audit/altered_policy.sql e7305f7438e3
function service_private.ancestor_tables(relation oid) returns oid[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/webhooks/ancestor_tables.sql bbdc92341ecf
function service_private.announce_account() returns trigger: plpgsql, volatile; sql/accounts/account/announce_account.sql 83c717317657
function service_private.announce_change() returns trigger: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp; sql/realtime/changes/as_owner/announce_change.sql 735edf035fd2
function service_private.answer_challenge(uid text, challenge_id text, time_step bigint, recovery_code bytea) returns boolean: plpgsql, volatile; sql/accounts/factors/answer_challenge.sql f35a5da31551
function service_private.answered(request jsonb) returns json: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/idempotency/as_owner/answered.sql 753cef07dda4
function service_private.api_key(id text) returns json: plpgsql, stable; sql/accounts/keys/api_key.sql edc6023857f1
function service_private.api_key_json(key service.api_keys) returns json: sql, stable; sql/accounts/keys/api_key_json.sql 1bfc43a5fe24
function service_private.api_key_standing(key_hash bytea) returns jsonb: plpgsql, stable; sql/accounts/keys/api_key_standing.sql 88ea8f860999
function service_private.are_comparable(one text, other text) returns boolean: sql, immutable, parallel safe; sql/collections/declared/are_comparable.sql 400c07c60a9f
function service_private.argument_property(shape jsonb, field text, type oid) returns service.properties: sql, stable; sql/functions/argument_property.sql a3b1109f575c
function service_private.argument_statements(shape jsonb) returns TABLE(field text, message text, statement text): plpgsql, stable; sql/functions/argument_statements.sql a1cfdc768b9b
function service_private.argument_type(type oid) returns text: plpgsql, stable; sql/functions/argument_type.sql f30d78112203
function service_private.array_value(expression text, sql_type text) returns text: plpgsql, stable; sql/compile/row/array_value.sql 6cd5f0bb09f6
function service_private.as_uuid(given text) returns uuid: sql, immutable, parallel safe; sql/accounts/account/as_uuid.sql 9eb0414a8dbc
function service_private.asked(count integer) returns text: sql, immutable, parallel safe; sql/compile/statement/asked.sql d207752b7bc2
function service_private.asked_conflict(body jsonb, details jsonb) returns jsonb: plpgsql, stable; sql/write/batch/asked_conflict.sql c595f0fa433c
function service_private.asked_roles() returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/access/asked_roles.sql cf86587aa557
function service_private.audit_excluded_schemas() returns TABLE(schema_name text, reason text): sql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audit_excluded_schemas.sql e050902613ef
function service_private.audit_exposed_roles() returns TABLE(oid oid, name text): sql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audit_exposed_roles.sql c88e2e673c43
function service_private.audited_policies() returns TABLE(oid oid, relation oid, full_name text, kind "char", target jsonb, name text, operation "char", permissive boolean, roles oid[], applies boolean, readable boolean, writable boolean, using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audited_policies.sql 1d5ce76485a1
function service_private.audited_relations() returns TABLE(oid oid, schema_name text, name text, full_name text, kind "char", owner oid, target jsonb, collection text, managed boolean, readable boolean, writable boolean, protected boolean, forced boolean, options text[], acl aclitem[]): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audited_relations.sql f468208ccbea
function service_private.authorize_file(request jsonb, OUT status integer, OUT reason text, OUT bound jsonb) returns record: plpgsql, volatile, for service_user; sql/storage/authorize/authorize_file.sql c816c1250d56
function service_private.backup_run(job_id text, by_hand boolean) returns json: sql, stable; sql/operations/backup_run.sql 8b19796716b5
function service_private.backup_schedule(definition jsonb) returns json: sql, volatile; sql/operations/backup_schedule.sql 4836ca9bd863
function service_private.base64url(bytes bytea) returns text: sql, immutable, parallel safe; sql/runtime/base64url.sql 42b717825afc
function service_private.base_type(type oid) returns oid: plpgsql, stable; sql/catalog/base_type.sql 444b319c06e1
function service_private.batch_requests(request jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/batch/as_owner/batch_requests.sql 0b958515cc0b
function service_private.before_login(email text, method text) returns void: sql, volatile; sql/accounts/hooks/before_login.sql e0405d3e1d17
function service_private.before_user_create(account service.users) returns service.users: plpgsql, volatile; sql/accounts/hooks/before_user_create.sql b7b7e5b37196
function service_private.begin_challenge(uid text, factor_id text, lifetime interval DEFAULT '00:05:00'::interval) returns json: plpgsql, volatile; sql/accounts/factors/begin_challenge.sql 233290cc979a
function service_private.begin_cron_run(job jsonb, run jsonb, holder text) returns TABLE(verdict text, scheduled_at timestamp with time zone, late integer, log json): plpgsql, volatile, set lock_timeout=2s; sql/cron/begin_cron_run.sql 8fcc0a687212
function service_private.begin_email_change(uid text, session_id text, new_email text, token_hash bytea, lifetime interval, hides_accounts boolean DEFAULT false) returns json: plpgsql, volatile; sql/accounts/proof/begin_email_change.sql 5b005d7f3d8e
function service_private.begin_guest_link(uid text, session_id text, new_email text, password_hash text, token_hash bytea, lifetime interval) returns TABLE(email text, display_name text): plpgsql, volatile; sql/accounts/proof/begin_guest_link.sql 0b77f56e5585
function service_private.begin_passkey(uid text, session_id text, challenge_hash bytea) returns json: plpgsql, volatile; sql/accounts/passkeys/begin_passkey.sql 1b6b01a930da
function service_private.begin_passkey_session(id text, counter bigint, is_backed_up boolean, refresh_hash bytea, lifetime interval, user_agent text, ip_address text) returns json: plpgsql, volatile; sql/accounts/passkeys/begin_passkey_session.sql 9449853f4b09
function service_private.begin_password_reset(uid text, rank jsonb DEFAULT 'null'::jsonb) returns json: plpgsql, volatile; sql/accounts/manage/begin_password_reset.sql f6e7ca8327d3
function service_private.begin_second_factor_session(uid text, challenge_id text, time_step bigint, recovery_code bytea, refresh_hash bytea, lifetime interval, user_agent text, ip_address text) returns json: sql, volatile; sql/accounts/factors/begin_second_factor_session.sql bf346cf1fcf7
function service_private.begin_session(uid text, method text, refresh_hash bytea, lifetime interval, user_agent text, ip_address text, password_hash text DEFAULT NULL::text, aal text DEFAULT 'aal1'::text) returns json: plpgsql, volatile; sql/accounts/sessions/begin_session.sql 8bbaafd8bab9
function service_private.beyond_rank(held_roles text[], rank jsonb) returns text[]: sql, stable; sql/accounts/manage/beyond_rank.sql 9ca721d6a54a
function service_private.block_attributes(blocks jsonb, type text) returns jsonb: sql, immutable, parallel safe; sql/write/validate/block_attributes.sql 238767bf0385
function service_private.block_problems(definition jsonb) returns TABLE(suffix text, problem text): plpgsql, stable; sql/collections/problems/block_problems.sql 1fbde6fa1e1b
function service_private.body_violations(body jsonb, plan jsonb, doubtful jsonb, uid text) returns jsonb: plpgsql, stable; sql/write/validate/body_violations.sql c3cc3db2f01c
function service_private.bootstrap_admin(uid text, production boolean) returns void: plpgsql, volatile; sql/accounts/manage/bootstrap_admin.sql 85116b86acdd
function service_private.bound(node jsonb, name text) returns bigint: sql, immutable, parallel safe; sql/compile/bound.sql b220066c424f
function service_private.bound_sizes(rules jsonb, kind text) returns jsonb: plpgsql, stable; sql/collections/problems/bound_sizes.sql 38cb1814cc83
function service_private.bounded_answer(body text, most bigint) returns text: sql, volatile, parallel safe, for service_user; sql/runtime/bounded_answer.sql 93911606594e
function service_private.bounded_related(n bigint, most bigint, collection text, relation text) returns bigint: sql, volatile, parallel safe, for service_user; sql/runtime/bounded_related.sql 48babe38a5fd
function service_private.bounds_statement(served service.collections, operations jsonb, conditions text[]) returns text: plpgsql, stable; sql/write/plan/bounds_statement.sql ec8a76075dfc
function service_private.broadcast_frame(channel text, event text, payload json, seq bigint) returns text: sql, stable, parallel safe; sql/realtime/channels/broadcast_frame.sql eb3690b2d3d9
function service_private.bulk_answer(served service.collections, shape jsonb, roles text[]) returns text: sql, stable; sql/write/plan/bulk_answer.sql 344b28c90acb
function service_private.bulk_requests(request jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/batch/as_owner/bulk_requests.sql fa0caa3621bb
function service_private.bulk_statement(served service.collections, shape jsonb, plan jsonb, target text[], roles text[]) returns text: plpgsql, stable; sql/write/plan/bulk_statement.sql a9a618f8dcb5
function service_private.bytes(base64 text, field text) returns bytea: plpgsql, immutable, parallel safe, for service_user; sql/runtime/bytes.sql 63190fe43817
function service_private.call_account_hook(hook text, arguments text[]) returns jsonb: plpgsql, volatile; sql/accounts/hooks/call_account_hook.sql a74059856fb1
function service_private.call_shape(name text, arguments json, request json, OUT shape jsonb, OUT parameters text[]) returns record: plpgsql, stable; sql/functions/call_shape.sql f2a520981599
function service_private.call_statement(shape jsonb) returns text: plpgsql, stable; sql/functions/call_statement.sql 64b21cffb4b4
function service_private.callback_body(collection text, key text[], names text[], hook text, function_name text, soft_delete text) returns text: sql, immutable; sql/provision/triggers/callback_body.sql 0117905065cb
function service_private.callback_changes(collections_before service.collections[]) returns TABLE(kind text, verdict text, collection text, property text, detail text, remedy text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/changes/callback_changes.sql 9394b60e1fcd
function service_private.callbacks(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, collection text, key text[], names text[], soft_delete text, hook text, suffix text, trigger_name text, events integer, function_schema text, function_name text, arguments text, result text, oid oid, fits boolean): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/triggers/callbacks.sql 71ee3a58260a
function service_private.called_endpoint(shape jsonb, OUT oid oid, OUT document jsonb, OUT name text) returns record: plpgsql, stable; sql/functions/called_endpoint.sql 1ecc76506f4c
function service_private.caller(claims jsonb) returns text[]: sql, immutable, parallel safe; sql/psql/caller.sql 9f77d5ec01fe
function service_private.caller_function(function text, result regtype) returns TABLE(called text, problem text): plpgsql, stable, set jit=off; sql/catalog/caller_function.sql a811d4cf8c5d
function service_private.caller_kinds(roles text[]) returns TABLE(n bigint, kind text, claims jsonb): sql, stable; sql/access/caller_kinds.sql 4a20e510f112
function service_private.caller_reads(relations oid[]) returns TABLE(relation oid, reads oid): sql, stable, set search_path=pg_catalog, pg_temp set enable_nestloop=off; sql/catalog/caller_reads.sql 9f9f662f36f1
function service_private.camel_case(name text) returns text: sql, immutable, parallel safe; sql/catalog/camel_case.sql dca5f08880a0
function service_private.can_restrict() returns boolean: sql, stable; sql/provision/can_restrict.sql 0de0efcbde47
function service_private.cast_type(whole text) returns text: sql, immutable, parallel safe; sql/collections/columns/cast_type.sql c90579d22ebc
function service_private.catalog_changes(collections_before service.collections[], properties_before service.properties[]) returns TABLE(kind text, verdict text, collection text, property text, detail text, remedy text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/changes/catalog_changes.sql 2a1a39d7f2da
function service_private.catalog_document() returns json: sql, stable, set jit=off; sql/catalog/catalog_document.sql f1554ac08587
function service_private.catalog_fingerprint(collections service.collections[], properties service.properties[], relations service.relations[]) returns text: sql, stable; sql/catalog/catalog_fingerprint.sql 392d6d52a1ae
function service_private.challenged_factor(uid text, challenge_id text) returns TABLE(id uuid, sealed_secret bytea): sql, volatile; sql/accounts/factors/challenged_factor.sql 906e71f0e8f7
function service_private.change(request jsonb, claims jsonb) returns json: plpgsql, volatile, set TimeZone=UTC set DateStyle=ISO, YMD set IntervalStyle=postgres set extra_float_digits=1 set jit=off; sql/psql/change.sql 24e2209a9cf4
function service_private.change_flags_at(relation oid) returns integer: sql, immutable, parallel safe; sql/realtime/changes/change_flags_at.sql 55b5ad5caf3f
function service_private.change_keys(relations oid[]) returns TABLE(relation oid, column_name text, type text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/change_keys.sql ab85a94ce5a3
function service_private.change_password(uid text, verified_hash text, password_hash text) returns void: plpgsql, volatile; sql/accounts/sessions/change_password.sql 18eed0a537c6
function service_private.change_triggers() returns TABLE(trigger_name text, event text, tables text): sql, immutable, parallel safe; sql/realtime/changes/change_triggers.sql 7daf273636e9
function service_private.channel_authorizer(function text) returns TABLE(statement text, problem text): plpgsql, stable, set jit=off; sql/realtime/channels/channel_authorizer.sql a558e3bd231e
function service_private.channel_history(channel text, since bigint, most integer) returns text: sql, stable, set jit=off; sql/realtime/channels/channel_history.sql d44cd6f16b0a
function service_private.channel_notice(said_by text, VARIADIC fields text[]) returns text: sql, immutable, parallel safe; sql/realtime/channels/channel_notice.sql 04c4fd6d9485
function service_private.channel_roster(channel text, besides uuid) returns TABLE(id text, state text): sql, stable; sql/realtime/channels/channel_roster.sql d1caf28cf49b
function service_private.channel_rule(channel text) returns SETOF service.channel_rules: sql, stable; sql/realtime/channels/channel_rule.sql 77cf0679c669
function service_private.channel_seq(channel text) returns bigint: sql, stable; sql/realtime/channels/channel_seq.sql 13ee49de8564
function service_private.check_body(request jsonb, body jsonb, plan jsonb, doubtful jsonb, uid text) returns text[]: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/validate/as_owner/check_body.sql 10ea5aa64b47
function service_private.check_names(collection text, shape jsonb, roles text[]) returns void: plpgsql, stable; sql/compile/names/check_names.sql a2fcbbf67a6d
function service_private.checked_argument(shape jsonb, field text, type oid, sent text, expression text) returns text: plpgsql, stable; sql/functions/checked_argument.sql 155afae0a4e9
function service_private.claim_cron_slot(job_id text, slot timestamp with time zone, run_id uuid) returns boolean: sql, volatile; sql/cron/claim_cron_slot.sql ee723e550868
function service_private.claim_jobs(most integer, worker_id text, tasks jsonb, shares jsonb DEFAULT NULL::jsonb) returns SETOF service.jobs: plpgsql, volatile, set jit=off set plan_cache_mode=force_generic_plan set enable_seqscan=off; sql/jobs/claim_jobs.sql 5f27d1cc92b9
function service_private.claim_key(request jsonb) returns boolean: plpgsql, volatile, for service_user; sql/write/idempotency/claim_key.sql 909f9737c8fe
function service_private.claim_upload(id text, asker text, token uuid) returns json: plpgsql, volatile; sql/storage/uploads/claim_upload.sql 91cb8ab76273
function service_private.claimed_roles(claims jsonb) returns text[]: sql, immutable, parallel safe; sql/identity/claimed_roles.sql ec07bf4d07ae
function service_private.claimed_scopes(claims jsonb) returns text[]: sql, immutable, parallel safe; sql/access/claimed_scopes.sql 54ef1b860755
function service_private.client_standing(uid text, family_id text, issued_at numeric) returns jsonb: plpgsql, stable; sql/oauth/client_standing.sql 61d51190f345
function service_private.closed_columns(served service.collections, operation text, proposed jsonb, claims jsonb) returns TABLE(privilege text, closed text[]): sql, stable, set search_path=pg_catalog, pg_temp; sql/access/closed_columns.sql f0f9f9f45277
function service_private.closed_parts(attributes jsonb, roles text[], act text) returns jsonb: plpgsql, immutable; sql/compile/parts/closed_parts.sql daa47864db96
function service_private.closed_parts_of(property service.properties, roles text[], act text) returns jsonb: sql, immutable; sql/compile/parts/closed_parts_of.sql c237bd374a0e
function service_private.closed_sent(field text, value jsonb, closed jsonb) returns TABLE(path text, because text): plpgsql, immutable, for service_user; sql/write/validate/closed_sent.sql 55cae8c84dfa
function service_private.collection_policies(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/collection_policies.sql 008a9d880f44
function service_private.collection_tenant(collection text, OUT field text, OUT column_name text, OUT type text, OUT bypass_roles text[], OUT tenants text, OUT single boolean) returns record: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/write/tenants/collection_tenant.sql ed5ef91933c0
function service_private.column_clause(name text, type text, default_value text, identity boolean, not_null boolean) returns text: sql, immutable, parallel safe; sql/provision/wanted/column_clause.sql a38de74d8542
function service_private.column_list(alias text, columns text[]) returns text: sql, immutable, parallel safe; sql/compile/include/column_list.sql 32689de37627
function service_private.column_names(relation oid, columns smallint[]) returns text[]: plpgsql, stable; sql/catalog/column_names.sql f1e8eeadb947
function service_private.column_of(definition jsonb, table_schema text, table_name text, column_name text, is_key boolean, OUT type text, OUT sql_type text, OUT not_null boolean, OUT required boolean, OUT excluded boolean, OUT read_roles text[], OUT write_roles text[], OUT attributes jsonb) returns record: plpgsql, stable; sql/collections/columns/column_of.sql 58ad5c080d59
function service_private.column_pairs(left_alias text, left_columns text[], operators text[], right_alias text, right_columns text[]) returns text[]: sql, immutable, parallel safe; sql/compile/include/column_pairs.sql c642d3dfbbc3
function service_private.column_problems(definition jsonb, place text, is_key boolean, unfilled text DEFAULT NULL::text) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/column_problems.sql 5caa31cefe43
function service_private.column_type(type oid, modifier integer) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/column_type.sql 2f0f5045015a
function service_private.column_value(expression text, sql_type text) returns text: sql, stable; sql/compile/row/column_value.sql d6555f1e3722
function service_private.commented_key(relation oid) returns smallint[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/commented_key.sql 62f2f7a1a2e1
function service_private.comparison(expression text, property service.properties, condition jsonb) returns text: plpgsql, stable; sql/compile/filter/comparison.sql 0d4e151f759b
function service_private.comparison_fault(comparison jsonb, collection text, checked_collection text) returns text: plpgsql, stable; sql/rules/comparison_fault.sql 55ac88f33e84
function service_private.comparison_limit(sql_type text) returns text: sql, stable; sql/catalog/comparison_limit.sql d603f6998799
function service_private.comparison_sql(comparison jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/comparison_sql.sql a7c77a38e544
function service_private.comparison_type(comparison jsonb, collection text, checked_collection text) returns text: plpgsql, stable; sql/rules/comparison_type.sql 9e369085d3f0
function service_private.composite(value jsonb, type anyelement, field text) returns anyelement: plpgsql, stable, parallel safe, for service_user; sql/runtime/composite.sql 586c5533d9f3
function service_private.composite_membership(relation service.relations, alias text, condition jsonb, positive text) returns text: plpgsql, stable; sql/compile/filter/composite_membership.sql 02a919f762f3
function service_private.condition(collection text, alias text, field text, condition jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/condition.sql 2c6589cebb3f
function service_private.condition_in_words(condition text, verdict text, claims jsonb) returns text: sql, immutable, parallel safe; sql/access/condition_in_words.sql 0aa6266cd7ca
function service_private.condition_nodes() returns TABLE(root text, path text, kind text, node jsonb, depth integer, collection text, checked_collection text): plpgsql, stable; sql/rules/condition_nodes.sql 6d0768ee615c
function service_private.condition_problems() returns TABLE(path text, problem text): plpgsql, volatile; sql/rules/condition_problems.sql eb4f7590114c
function service_private.condition_sql(condition jsonb, collection text, alias text, checked_collection text DEFAULT NULL::text, checked_alias text DEFAULT NULL::text) returns text: plpgsql, stable; sql/rules/condition_sql.sql 62dd9bf2fa27
function service_private.confirm_email(token_hash bytea, session_uid text, has_password boolean, removes_unproven boolean, unlinks boolean DEFAULT true) returns json: plpgsql, volatile; sql/accounts/proof/confirm_email.sql c39e916e1cd3
function service_private.confirm_email_change(token_hash bytea, session_uid text, unlinks boolean DEFAULT true) returns json: plpgsql, volatile; sql/accounts/proof/confirm_email_change.sql 891ac64c2d4f
function service_private.conflict_clause(served service.collections, sent text[], target text[], roles text[]) returns text: plpgsql, stable; sql/write/plan/conflict_clause.sql d0dd9b55b18d
function service_private.conflict_columns(served service.collections, names jsonb, roles text[]) returns text[]: plpgsql, stable; sql/write/plan/conflict_columns.sql 4b40ee55ce75
function service_private.conflict_targets(served service.collections, roles text[]) returns jsonb: sql, stable; sql/write/plan/conflict_targets.sql c37285169472
function service_private.conjunction(conditions text[]) returns text: plpgsql, immutable, parallel safe; sql/compile/conjunction.sql d4ff4cbc80e0
function service_private.conjuncts(expression text) returns text[]: plpgsql, immutable, parallel safe; sql/access/conjuncts.sql 0bc8795930bb
function service_private.constraint_violations(request jsonb, problem jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/validate/as_owner/constraint_violations.sql 7d96dd421564
function service_private.context_columns(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/statement/context_columns.sql a673aa96892b
function service_private.contract_part(definition jsonb, slugs text[]) returns json: plpgsql, immutable, parallel safe; sql/catalog/contract/contract_part.sql 5ebb9f5d1d4b
function service_private.count_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/count_answer.sql 6eb79ecedb6e
function service_private.create_account(email text, password_hash text, display_name text, roles text[], is_verified boolean DEFAULT false, uid text DEFAULT NULL::text, photo_url text DEFAULT NULL::text, metadata jsonb DEFAULT NULL::jsonb, is_guest boolean DEFAULT false) returns text: plpgsql, volatile; sql/accounts/account/create_account.sql a1d362e9bd71
function service_private.create_api_key(name text, key_hash bytea, key_prefix text, scopes text[], created_by text, roles text[] DEFAULT '{}'::text[], rate_limit integer DEFAULT NULL::integer, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json: plpgsql, volatile; sql/accounts/keys/create_api_key.sql 5366498042fa
function service_private.create_first_admin(email text, password_hash text) returns boolean: plpgsql, volatile; sql/accounts/manage/create_first_admin.sql 2594c760818b
function service_private.create_guest(default_role text) returns text: sql, volatile; sql/accounts/account/create_guest.sql 8b435ae06176
function service_private.create_managed_account(email text, password_hash text, display_name text, photo_url text, metadata jsonb, roles text[], uid text DEFAULT NULL::text, rank jsonb DEFAULT 'null'::jsonb) returns json: plpgsql, volatile; sql/accounts/manage/create_managed_account.sql a030a49e11d2
function service_private.create_upload(id uuid, owner text, creator jsonb, source text, bucket text, key text, content_type text, metadata text, length bigint, held jsonb) returns void: sql, volatile; sql/storage/uploads/create_upload.sql 474d3950f099
function service_private.credentials(email text) returns TABLE(uid text, password_hash text, must_confirm boolean, may_remind boolean): plpgsql, volatile; sql/accounts/sessions/credentials.sql fe54be4a09b5
function service_private.cron_field(field text, lowest integer, highest integer, name text) returns integer[]: plpgsql, immutable; sql/cron/cron_field.sql aaaef6df64ee
function service_private.cron_job_records(definitions jsonb) returns json: sql, volatile; sql/cron/cron_job_records.sql 8821607914ac
function service_private.cron_job_rows(definitions jsonb) returns TABLE(id text, name text, description text, schedule text, timezone text, enabled boolean, state text, last_run_at timestamp with time zone, next_run_at timestamp with time zone, last_duration_ms bigint, last_error text, total_runs bigint, total_failures bigint): sql, volatile; sql/cron/cron_job_rows.sql 18e440095191
function service_private.cron_log_record(log service.cron_logs) returns json: sql, stable; sql/cron/cron_log_record.sql 87c8964aee45
function service_private.cron_now() returns timestamp with time zone: sql, volatile; sql/cron/cron_now.sql 14885f451d27
function service_private.cron_problems(crons jsonb) returns TABLE(path text, problem text): plpgsql, stable; sql/cron/cron_problems.sql c5b3aa50fa8d
function service_private.cron_slots(jobs jsonb) returns TABLE(id text, slot timestamp with time zone): sql, volatile; sql/cron/cron_slots.sql 1ce3e008daaa
function service_private.current_history(collection text, entity text) returns SETOF service.history: sql, stable; sql/write/history/current_history.sql 6360262fe026
function service_private.cursor_branches(collection text, alias text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/order/cursor_branches.sql b67891f8e809
function service_private.cursor_open(collection text, token text) returns text[]: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/runtime/as_owner/cursor_open.sql 27ccda7b7eb9
function service_private.cursor_payload(token text) returns jsonb: plpgsql, immutable; sql/psql/hoist/cursor_payload.sql a8291143f649
function service_private.cursor_seal(collection text, payload text) returns text: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/runtime/as_owner/cursor_seal.sql f77970a1bb97
function service_private.custom_claims(account service.users, session service.sessions) returns jsonb: plpgsql, volatile; sql/accounts/hooks/custom_claims.sql b4eecdc93b4a
function service_private.declared_collections(project jsonb) returns SETOF service.collections: sql, stable; sql/collections/declared/declared_collections.sql 8d92434c821e
function service_private.declared_columns() returns SETOF service.properties: sql, stable; sql/collections/columns/declared_columns.sql 88becb502fe5
function service_private.declared_files() returns TABLE(collection text, place integer, property text, storage jsonb, column_name text, sql_type text, json_path text): sql, stable; sql/storage/limits/declared_files.sql 77b58ef71ef2
function service_private.declared_index(collection text, definition jsonb) returns TABLE(name text, is_unique boolean, columns text[], body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/declared_index.sql 2fe9b922b412
function service_private.declared_indexes() returns TABLE(collection text, path text, n bigint, index jsonb, columns text[]): sql, stable; sql/collections/declared/declared_indexes.sql 61620b7fd959
function service_private.declared_inverses() returns TABLE(collection text, name text, "position" integer, path text, kind text, target text, relation jsonb, column_name text, source_column text): sql, stable; sql/collections/declared/declared_inverses.sql 39f938911577
function service_private.declared_junctions() returns TABLE(collection text, name text, "position" integer, path text, target text, relation jsonb, junction_schema text, junction_table text, source_column text, target_column text): sql, stable; sql/collections/declared/declared_junctions.sql 3d306a1d4903
function service_private.declared_links() returns TABLE(collection text, name text, "position" integer, path text, property_path text, target text, column_name text, property jsonb, validation jsonb, is_key boolean): sql, stable; sql/collections/declared/declared_links.sql fd457ad634be
function service_private.declared_parts(properties jsonb) returns jsonb: plpgsql, stable; sql/collections/columns/declared_parts.sql 0daae515aa40
function service_private.declared_pivot(through jsonb, junction_schema text, junction_table text) returns jsonb: sql, stable; sql/collections/columns/declared_pivot.sql 100ffda905d6
function service_private.declared_properties() returns TABLE(collection text, name text, "position" integer, path text, definition jsonb, kind text, leads boolean, broken boolean): sql, stable; sql/collections/declared/declared_properties.sql d4e5b621b969
function service_private.declared_relations() returns TABLE(collection text, name text, "position" integer, path text, property_path text, kind text, target text, relation jsonb, property jsonb, validation jsonb, is_key boolean): plpgsql, stable; sql/collections/declared/declared_relations.sql ae15b192e78a
function service_private.declared_rules(field text, type text, attributes jsonb) returns TABLE(code text, bound text, message text): plpgsql, stable; sql/write/validate/declared_rules.sql 06edf7c48ffc
function service_private.declared_steps() returns TABLE(collection text, name text, path text, target text, relation jsonb, n integer, steps integer, named text, schema_name text, table_name text, "from" text[], "to" text[], known text[], known_before text[], table_before text): sql, stable; sql/collections/declared/declared_steps.sql a4a0e193aa86
function service_private.declared_type(type oid) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/functions/declared_type.sql 5b9c2585c1f0
function service_private.default_clause(definition jsonb, is_key boolean, sql_type text) returns text: plpgsql, stable; sql/collections/columns/default_clause.sql 2a06e586a291
function service_private.default_expression(table_name text, column_name text) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/default_expression.sql 7796489e7b30
function service_private.default_fault(expression text, type text) returns text: plpgsql, volatile, set search_path=public, pg_temp; sql/collections/default_fault.sql 8ec6de8b6fcb
function service_private.default_problem(definition jsonb, sql_type text) returns text: plpgsql, stable; sql/collections/columns/default_problem.sql a280125eb8fb
function service_private.default_rules() returns TABLE(suffix text, rule jsonb): sql, immutable, parallel safe; policies/default_rules.sql 8ed6eae6a9a0
function service_private.define_collections(project jsonb) returns boolean: plpgsql, volatile, set jit=off; sql/collections/define/define_collections.sql e4985303b20b
function service_private.define_cron_jobs(definitions jsonb, holder text) returns void: sql, volatile; sql/cron/define_cron_jobs.sql f1cf31dcde42
function service_private.definition_changes(collections_before service.collections[]) returns TABLE(kind text, verdict text, collection text, property text, detail text, remedy text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/changes/definition_changes.sql 36221cb9bd98
function service_private.definition_problems(project jsonb) returns TABLE(path text, problem text, warning boolean): plpgsql, volatile; sql/collections/problems/definition_problems.sql ed077a56d3b2
function service_private.delete_account(uid text, by_uid text, rank jsonb DEFAULT 'null'::jsonb) returns void: plpgsql, volatile; sql/accounts/manage/delete_account.sql 07394eb9cb00
function service_private.delete_deliveries() returns trigger: plpgsql, volatile; sql/webhooks/delete_deliveries.sql 4233e3070a7f
function service_private.delete_statement(served service.collections, stamp text, conditions text[], source text DEFAULT NULL::text, answer text DEFAULT ''''''::text) returns text: sql, stable; sql/write/plan/delete_statement.sql d8059f585f5c
function service_private.deletion_stamp(collection text) returns text: plpgsql, stable; sql/compile/names/deletion_stamp.sql e46dc22755e4
function service_private.difference(served service.collections, was text, became text) returns text: sql, stable; sql/write/history/difference.sql 386a09d1ce9e
function service_private.disagreeing_fields(body jsonb, plan jsonb) returns TABLE(field text, message text): plpgsql, stable; sql/write/validate/disagreeing_fields.sql 5c192d417536
function service_private.distinct_properties(collection text, shape jsonb) returns SETOF service.properties: plpgsql, stable; sql/compile/row/distinct_properties.sql 39bfebaea687
function service_private.drop_change_triggers() returns TABLE(name text, statement text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/drop_change_triggers.sql 847ff86c05ce
function service_private.element_type(type oid) returns text: sql, stable; sql/catalog/element_type.sql 79bea397c628
function service_private.end_cron_run(job_id text, run_id uuid, outcome jsonb) returns json: plpgsql, volatile, set lock_timeout=2s; sql/cron/end_cron_run.sql 224f50af7cbb
function service_private.end_lease(reader uuid) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/end_lease.sql 157d2cee2639
function service_private.end_lost_cron_runs(only_of text DEFAULT NULL::text) returns integer: plpgsql, volatile; sql/cron/end_lost_cron_runs.sql ad1635fb5c67
function service_private.end_other_sessions(uid text, session_id text) returns void: sql, volatile; sql/accounts/sessions/end_other_sessions.sql 130abb7d348d
function service_private.end_session(uid text, session_id text) returns void: sql, volatile; sql/accounts/sessions/end_session.sql b493dbc5f4c1
function service_private.end_worker(worker_id text) returns void: plpgsql, volatile; sql/jobs/end_worker.sql 984e0edacf73
function service_private.endpoint_arguments(function oid) returns TABLE(n bigint, argument text, name text, type oid, is_variadic boolean, is_required boolean, place bigint): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/functions/endpoint_arguments.sql 218c1eae3fcd
function service_private.endpoint_clash(function oid) returns text: plpgsql, stable; sql/functions/endpoint_clash.sql ac58a22336d1
function service_private.endpoint_columns(function oid) returns TABLE(n bigint, column_name text, name text, type oid): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/functions/endpoint_columns.sql a34549d6d7fc
function service_private.endpoint_document(function oid) returns jsonb: plpgsql, stable; sql/functions/endpoint_document.sql 31410df55bd4
function service_private.endpoint_problem(function oid) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/functions/endpoint_problem.sql 006dd1f6c7e8
function service_private.endpoint_properties(collection text) returns SETOF service.properties: plpgsql, stable; sql/functions/endpoint_properties.sql b1d7a4c3d6c5
function service_private.endpoint_tags(comment text, OUT is_endpoint boolean, OUT is_public boolean, OUT roles text[], OUT scope text, OUT description text, OUT problem text) returns record: plpgsql, immutable, parallel safe; sql/functions/endpoint_tags.sql 662f24238a49
function service_private.endpoints(wanted text DEFAULT NULL::text) returns TABLE(oid oid, name text, signature text, problem text, document jsonb): plpgsql, stable, set jit=off; sql/functions/endpoints.sql 4555d795446e
function service_private.enqueue_webhooks() returns trigger: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan set TimeZone=UTC set DateStyle=ISO, YMD set IntervalStyle=postgres set extra_float_digits=1 set bytea_output=hex; sql/webhooks/as_owner/enqueue_webhooks.sql 55308b753b5c
function service_private.enroll_factor(uid text, session_id text, friendly_name text, sealed_secret bytea, recovery_codes bytea[]) returns json: plpgsql, volatile; sql/accounts/factors/enroll_factor.sql 86675585794c
function service_private.enter_channels(gateway uuid, channels text[], ids uuid[], states text[]) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/enter_channels.sql 17f707a94187
function service_private.entering_clause(shape jsonb) returns text: sql, immutable, parallel safe; sql/write/plan/entering_clause.sql 65f9cda9c90d
function service_private.entity_id(served service.collections, alias text) returns text: sql, stable; sql/write/history/entity_id.sql a8bb6e347848
function service_private.enum_ids(definition jsonb) returns jsonb[]: plpgsql, immutable, parallel safe; sql/collections/declared/enum_ids.sql a313790c4cb6
function service_private.enum_labels(type oid) returns jsonb: sql, stable; sql/catalog/enum_labels.sql 0f6adcb187d9
function service_private.enum_problems(definition jsonb) returns TABLE(suffix text, problem text): plpgsql, stable; sql/collections/problems/enum_problems.sql e2f2189de6f2
function service_private.enum_values(definition jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/enum_values.sql eadf416b6688
function service_private.epoch_text(moment timestamp with time zone) returns text: sql, immutable, parallel safe; sql/accounts/sessions/epoch_text.sql ae923f389c42
function service_private.equals(relation service.relations, local boolean) returns text[]: plpgsql, stable; sql/compile/include/equals.sql f96054010b2c
function service_private.exclude_changed_columns() returns trigger: plpgsql, volatile; sql/webhooks/exclude_changed_columns.sql 30687eed121b
function service_private.exclude_columns() returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/webhooks/exclude_columns.sql 79aea7f058b9
function service_private.excluded_columns(schema_name text, table_name text) returns text[]: sql, stable; sql/webhooks/excluded_columns.sql 4080112e3cae
function service_private.exists_condition(wanted boolean, source text, conditions text[]) returns text: plpgsql, immutable; sql/compile/filter/exists_condition.sql 2c7a4f912ffb
function service_private.exists_sql(condition jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/exists_sql.sql 675b1ea2cfab
function service_private.expired_upload(token uuid) returns json: plpgsql, volatile; sql/storage/uploads/expired_upload.sql 647b2bece013
function service_private.exposed_revoke(privileges text, on_what text) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/audit/exposed_revoke.sql 14653a3ad82d
function service_private.expression_fault(expression text) returns text: plpgsql, volatile, set standard_conforming_strings=on; sql/collections/expression_fault.sql abcf7dc1ea6c
function service_private.expression_problems() returns TABLE(path text, problem text): sql, volatile, set search_path=pg_catalog, pg_temp; sql/collections/expression_problems.sql 977d12eeaa5d
function service_private.extension_schema(name text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/extension_schema.sql aed59b610930
function service_private.factor_json(factor service.mfa_factors) returns jsonb: sql, immutable; sql/accounts/factors/factor_json.sql 0075a9f969b9
function service_private.factors_of(uid text) returns jsonb: sql, stable; sql/accounts/factors/factors_of.sql ca3c67fd141f
function service_private.fast_path(served service.collections, shape jsonb, plan jsonb, target text[], roles text[]) returns text: plpgsql, stable; sql/write/plan/fast_path.sql da4ce40a6244
function service_private.field_column(collection text, field text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/field_column.sql a62152b2ab97
function service_private.field_type(collection text, field text) returns text: plpgsql, stable; sql/rules/field_type.sql 40de52654c6e
function service_private.fields_to_check(body jsonb, plan jsonb) returns jsonb: plpgsql, stable, for service_user; sql/write/validate/fields_to_check.sql 3f5cce476bee
function service_private.file_destination(storage jsonb, id text DEFAULT NULL::text) returns text: sql, immutable, parallel safe; sql/storage/limits/file_destination.sql 9470503c14dc
function service_private.file_refusal(held service.storage_properties, request jsonb) returns jsonb: sql, stable; sql/storage/limits/file_refusal.sql bcca27f796ff
function service_private.file_row(collection text, id text, changes boolean) returns text: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/authorize/as_owner/file_row.sql 201e0a5408c0
function service_private.file_rules(operation text, key text, OUT authorizer text, OUT is_open boolean, OUT has_policies boolean, OUT policies jsonb) returns record: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/authorize/as_owner/file_rules.sql fc2984812edf
function service_private.file_spellings(key text, buckets text[]) returns text[]: sql, immutable, parallel safe; sql/storage/cleanup/file_spellings.sql f06751cbb897
function service_private.file_statements(slug text) returns service.storage_rows: plpgsql, stable, set jit=off; sql/storage/authorize/file_statements.sql 941cc16b9338
function service_private.file_triggers(event text, key text) returns TABLE(place integer, handler text, params jsonb): sql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/triggers/as_owner/file_triggers.sql 911b8ec19a10
function service_private.file_user() returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/authorize/as_owner/file_user.sql 1e70539a994b
function service_private.fill(template text, VARIADIC parts text[]) returns text: plpgsql, immutable, parallel safe; sql/compile/fill.sql ebfba5d26c7a
function service_private.filled_map(sent text, attributes jsonb) returns text: plpgsql, immutable, parallel safe; sql/write/plan/filled_map.sql 7e10e6e71bf0
function service_private.filter_conditions(collection text, alias text, node jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/filter/filter_conditions.sql cd77fa8e1e72
function service_private.filterable(property service.properties, roles text[]) returns boolean: sql, immutable; sql/compile/names/filterable.sql 268c07f897b2
function service_private.filterable_fields(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/names/filterable_fields.sql edb9b155fae7
function service_private.find_column(collection text, column_name text) returns service.properties: plpgsql, stable; sql/compile/names/find_column.sql 58d9b0346387
function service_private.find_property(collection text, field text) returns service.properties: plpgsql, stable; sql/compile/names/find_property.sql 797143aa3eba
function service_private.find_relation(collection text, relation text) returns service.relations: plpgsql, stable; sql/compile/names/find_relation.sql c7d7a5306c6a
function service_private.find_user(email text) returns json: sql, stable; sql/accounts/account/find_user.sql 6bdaa5881f7e
function service_private.fingerprint(lines text[]) returns text: sql, immutable, parallel safe; sql/catalog/fingerprint.sql a4cda8f6e7cc
function service_private.finish_cron_run(state service.cron_job_state, outcome jsonb) returns json: plpgsql, volatile; sql/cron/finish_cron_run.sql 0c20f3454b33
function service_private.finish_job(id uuid, worker_id text, attempt integer, result jsonb) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp; sql/jobs/as_owner/finish_job.sql 17b1159a0c10
function service_private.finish_upload(id uuid) returns boolean: sql, volatile; sql/storage/uploads/finish_upload.sql 44e3d19eb64d
function service_private.fit_conditions(sent text, sent_text text, type text, sql_type text, is_part boolean) returns text[]: sql, immutable; sql/write/plan/fit_conditions.sql 3e2d88911332
function service_private.fits_type(value jsonb, type text, sql_type text) returns boolean: sql, immutable, parallel safe, for service_user; sql/write/validate/fits_type.sql 7c71e9ddb08e
function service_private.followed(own text, given text, now_given text) returns text: sql, immutable, parallel safe; sql/accounts/identities/followed.sql 7b93d83569d8
function service_private.forbids_null(type oid) returns boolean: sql, stable; sql/catalog/forbids_null.sql 9e7e752f2f51
function service_private.forget_rate_limits(before bigint) returns void: sql, volatile; sql/limits/forget_rate_limits.sql fd9d513de62d
function service_private.from_base64url(text text) returns bytea: sql, immutable, parallel safe; sql/runtime/from_base64url.sql 7867a6a031ce
function service_private.function_call(shape jsonb) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/functions/function_call.sql 28f2e5162dae
function service_private.function_name(function oid) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/functions/function_name.sql 50619635df13
function service_private.function_rows(shape jsonb) returns text: plpgsql, stable; sql/functions/function_rows.sql 7e33a7d67697
function service_private.get_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/get_answer.sql 1995b82b47f8
function service_private.given_arguments(shape jsonb) returns text: plpgsql, stable; sql/functions/given_arguments.sql 562207c9cf6e
function service_private.grant_served() returns SETOF text: plpgsql, volatile, set jit=off set lock_timeout=500ms; sql/catalog/grant_served.sql 6e85463ad105
function service_private.grant_settling(login text) returns void: plpgsql, volatile; sql/jobs/grant_settling.sql ced1df438c20
function service_private.grants_of(uid text) returns json: sql, stable; sql/oauth/grants_of.sql 297a37782b24
function service_private.group_columns(collection text, shape jsonb, roles text[], shown boolean) returns text[]: plpgsql, stable; sql/compile/aggregate/group_columns.sql 6109ed9113f9
function service_private.guarded_account(uid text, session_id text) returns service.users: plpgsql, volatile; sql/accounts/factors/guarded_account.sql dc2517d10532
function service_private.has_blank_key(op text, body jsonb, sent_key jsonb) returns boolean: plpgsql, immutable, for service_user; sql/write/validate/has_blank_key.sql 5562b5007deb
function service_private.has_blank_target(request jsonb) returns boolean: sql, stable; sql/write/validate/has_blank_target.sql d50b7c38e00b
function service_private.has_data_apart(item jsonb) returns boolean: sql, immutable, parallel safe, for service_user; sql/write/batch/has_data_apart.sql 05ad83b6b184
function service_private.has_operator(sql_type text, operator text) returns boolean: plpgsql, stable; sql/compile/filter/has_operator.sql 62f529c4c5a0
function service_private.has_people() returns boolean: sql, stable; sql/accounts/account/has_people.sql b8c06c1af1b1
function service_private.has_refs(value jsonb) returns boolean: sql, immutable, parallel safe, for service_user; sql/write/batch/has_refs.sql 79ae2932220d
function service_private.has_rows(relation oid) returns boolean: plpgsql, stable; sql/provision/has_rows.sql bcca8abe2e92
function service_private.has_second_factor(uid text) returns boolean: sql, stable; sql/accounts/factors/has_second_factor.sql d8afb2044344
function service_private.has_unique_items(list jsonb) returns boolean: plpgsql, immutable, parallel safe, for service_user; sql/write/validate/has_unique_items.sql d74da7e38c16
function service_private.has_unproven(account service.users) returns boolean: sql, stable; sql/accounts/proof/has_unproven.sql d50a7f3d037d
function service_private.heartbeat_channels(gateway uuid, read bigint[]) returns TABLE(known boolean, broadcasts bigint[]): plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/heartbeat_channels.sql e066c424fe36
function service_private.hides_rows(relation oid) returns boolean: sql, stable, set search_path=pg_catalog, pg_temp; sql/search/hides_rows.sql 968ca487b6a9
function service_private.history_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/history_answer.sql cc8b474308cb
function service_private.history_body(served service.collections, soft_delete text) returns text: sql, stable; sql/provision/triggers/history_body.sql 22803dd51c96
function service_private.history_columns(served service.collections) returns SETOF service.properties: plpgsql, stable; sql/write/history/history_columns.sql 3c1695a74466
function service_private.history_entry(collection text, entity text, id text) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/history/as_owner/history_entry.sql 14ed88a24c0f
function service_private.history_page(collection text, entity text, most bigint, skipped bigint, names text[], columns text[], texts text[], closed jsonb, OUT data text, OUT total bigint) returns record: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/history/as_owner/history_page.sql 0d051861e308
function service_private.history_place(collection text, entity text, stamp text, was jsonb, became jsonb, newest integer) returns integer: plpgsql, volatile; sql/write/history/history_place.sql 5ce7c8d2765d
function service_private.history_text(series text, minutes integer) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set TimeZone=UTC set DateStyle=ISO; sql/metrics/history_text.sql 04f174dda81e
function service_private.hoist(request json, OUT shape jsonb, OUT parameters text[]) returns record: plpgsql, stable; sql/psql/hoist/hoist.sql 8a9962b508fe
function service_private.hoist_condition(field text, condition json, INOUT parameters text[], OUT hoisted jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_condition.sql cebda78ac22e
function service_private.hoist_field(field text, INOUT parameters text[], OUT hoisted text) returns record: plpgsql, stable; sql/psql/hoist/hoist_field.sql d299cfda4936
function service_private.hoist_logical(logical json, INOUT parameters text[], OUT node jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_logical.sql 372ff598160f
function service_private.hoist_node(request json, nested boolean, INOUT parameters text[], OUT node jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_node.sql ac8f45429d82
function service_private.hoist_path(segments json, INOUT parameters text[], OUT path jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_path.sql 8f8ca93743a5
function service_private.hoist_search(request json, INOUT parameters text[], OUT node jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_search.sql cc4fcb574b8a
function service_private.hold_presence(id text, before text DEFAULT NULL::text) returns void: sql, volatile; sql/operations/hold_presence.sql 33e1bc342de9
function service_private.holds_accounts(definition jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/holds_accounts.sql acf49cfbe748
function service_private.holds_cron_lease(state service.cron_job_state) returns boolean: sql, volatile; sql/cron/holds_cron_lease.sql bbe053a7e71c
function service_private.holds_elements(column_type text, elements jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/holds_elements.sql 337fbe7b0519
function service_private.holds_job(job service.jobs, claim jsonb) returns boolean: sql, immutable; sql/jobs/holds_job.sql 5640dabbd077
function service_private.holds_rows(type oid) returns boolean: sql, stable; sql/catalog/holds_rows.sql eec6121e6603
function service_private.hook_account(account service.users) returns jsonb: sql, stable; sql/accounts/hooks/hook_account.sql c5d119873889
function service_private.hooks() returns TABLE(hook text, suffix text, trigger_name text, events integer, arguments text, result text): sql, immutable, parallel safe; sql/provision/triggers/hooks.sql 728cdfe0ac04
function service_private.humanize(name text) returns text: sql, immutable, parallel safe; sql/catalog/humanize.sql 6d8f22783cd6
function service_private.id_parts(id text) returns text[]: plpgsql, immutable, parallel safe, for service_user; sql/runtime/id_parts.sql 699644a96f24
function service_private.id_problem(collection text, field text) returns text: plpgsql, stable; sql/collections/problems/id_problem.sql 2a1d6d168376
function service_private.identities_of(uid text) returns jsonb: sql, stable; sql/accounts/identities/identities_of.sql b55fc352b279
function service_private.identity_outcome(provider text, provider_id text, email text, vouches boolean) returns TABLE(outcome text, uid text, reason text): plpgsql, stable; sql/accounts/identities/identity_outcome.sql d2235108b081
function service_private.in_form_of(items anyarray, form anycompatiblearray) returns anyarray: plpgsql, stable, parallel safe, for service_user; sql/write/plan/in_form_of.sql 332f053aa343
function service_private.include(collection text, rows_name text, node jsonb, roles text[], OUT ctes text[], OUT joins text[], OUT columns text[]) returns record: plpgsql, stable; sql/compile/include/include.sql 5117afb4537a
function service_private.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[], OUT ctes text[], OUT rows_join text, OUT shown text) returns record: plpgsql, stable; sql/compile/include/include_relation.sql 2392a9f2af07
function service_private.included_relations(collection text, node jsonb, roles text[]) returns TABLE(name text, options jsonb): plpgsql, stable; sql/compile/include/included_relations.sql 715f75083a5d
function service_private.included_rows(relation service.relations, parent_rows text, back text[], node jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/include/included_rows.sql 187fdf7ba052
function service_private.indented(sql_text text, spaces integer) returns text: plpgsql, immutable, parallel safe; sql/compile/indented.sql ddf33ace7ef7
function service_private.index_comparison(collection text, comparison jsonb) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/provision/index_comparison.sql 39d412e2ce77
function service_private.index_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/index_problems.sql fdb03c269873
function service_private.insert_statement(served service.collections, sent text[], body text, answer text, sources text[] DEFAULT '{}'::text[], conditions text[] DEFAULT '{}'::text[], conflict text DEFAULT NULL::text, sometimes text[] DEFAULT '{}'::text[], parent jsonb DEFAULT NULL::jsonb) returns text: plpgsql, stable; sql/write/plan/insert_statement.sql 30b3cce41ebc
function service_private.install(path text, text text) returns void: plpgsql, volatile
function service_private.introspect(schema text, unprotected text) returns TABLE(slug text, reason text, remedy text): plpgsql, volatile, set jit=off; sql/catalog/introspect.sql ca8684d3e010
function service_private.introspected_collections(tables service.introspected_table[], properties service.properties[]) returns SETOF service.collections: sql, stable, set search_path=pg_catalog, pg_temp set enable_nestloop=off; sql/catalog/introspected_collections.sql ad2c877abace
function service_private.introspected_definition(described service.collections) returns jsonb: sql, stable; sql/catalog/contract/introspected_definition.sql e811fbf58be5
function service_private.introspected_properties(tables service.introspected_table[]) returns SETOF service.properties: sql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/introspected_properties.sql df02fe8ebb5e
function service_private.introspected_relations(tables service.introspected_table[], properties service.properties[]) returns SETOF service.relations: sql, stable, set search_path=pg_catalog, pg_temp set enable_nestloop=off; sql/catalog/introspected_relations.sql 1c2da55bb875
function service_private.is_broken(collection text, property text) returns boolean: sql, stable; sql/collections/problems/is_broken.sql 73cdd42a01df
function service_private.is_client(client_id text, secret_hash bytea) returns boolean: sql, stable; sql/oauth/is_client.sql 78c6ef6863d0
function service_private.is_closed_client(client_id text) returns boolean: sql, stable; sql/oauth/is_closed_client.sql 9d50b3f1f885
function service_private.is_comparable_value(comparison jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/is_comparable_value.sql b93c1c8d7598
function service_private.is_composite(sql_type text) returns boolean: plpgsql, stable, for service_user; sql/catalog/is_composite.sql 66e6fd94ea90
function service_private.is_computed(attributes jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/columns/is_computed.sql dd37b5c0815d
function service_private.is_current(token service.one_time_tokens, account service.users) returns boolean: sql, stable; sql/accounts/proof/is_current.sql d84ad054954d
function service_private.is_declared_key(definition jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/is_declared_key.sql 5473df032aff
function service_private.is_default(value jsonb, kind text, sql_type text) returns boolean: plpgsql, stable; sql/collections/columns/is_default.sql a4bb48a0f5c2
function service_private.is_defined(project jsonb) returns boolean: sql, stable; sql/collections/define/is_defined.sql efb391609d3a
function service_private.is_expanded(function oid) returns boolean: plpgsql, stable; sql/functions/is_expanded.sql 6d767c3795db
function service_private.is_identity(definition jsonb, is_key boolean) returns boolean: sql, immutable, parallel safe; sql/collections/columns/is_identity.sql ab391b6a167b
function service_private.is_label(value text, type regtype) returns boolean: sql, stable, parallel safe, for service_user; sql/rules/is_label.sql ff7f78dc3e0e
function service_private.is_next(id uuid, queue text, place bigint) returns boolean: sql, stable; sql/jobs/is_next.sql b7ff8471b92c
function service_private.is_open(listed text[], roles text[]) returns boolean: sql, immutable, parallel safe; sql/compile/names/is_open.sql 4da48e4aa67d
function service_private.is_placeholder(address text) returns boolean: sql, immutable, parallel safe; sql/accounts/account/is_placeholder.sql 802821c0ac22
function service_private.is_plain(served service.collections, shape jsonb, plan jsonb) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/is_plain.sql 7a7045095958
function service_private.is_plain_key(key text) returns boolean: sql, immutable, parallel safe; sql/storage/cleanup/is_plain_key.sql 9547de804e1a
function service_private.is_present(id text) returns boolean: sql, stable, set jit=off; sql/operations/is_present.sql cda9f3a73e4f
function service_private.is_ranked(collection text, shape jsonb) returns boolean: sql, stable; sql/search/is_ranked.sql 43e3e27acf71
function service_private.is_readable_date(text text, sql_type text) returns boolean: plpgsql, stable; sql/write/validate/is_readable_date.sql 9f3916ada5b2
function service_private.is_readable_id(id text, key_types jsonb) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp, for service_user; sql/write/validate/is_readable_id.sql a08dac1c3881
function service_private.is_released(source text, key text, buckets text[]) returns boolean: sql, stable; sql/storage/cleanup/is_released.sql 1411a32ec7d7
function service_private.is_required(served service.collections, property service.properties) returns boolean: sql, immutable; sql/write/validate/is_required.sql adef1f85736c
function service_private.is_route(relation text) returns boolean: sql, immutable, parallel safe; sql/collections/names/is_route.sql 86cf8c38bb26
function service_private.is_sortable(sql_type text) returns boolean: plpgsql, stable; sql/compile/order/is_sortable.sql 2ef08be4629f
function service_private.is_system_column(name text) returns boolean: sql, immutable, parallel safe; sql/collections/names/is_system_column.sql 35cd7eeb0932
function service_private.is_time(value text) returns boolean: plpgsql, stable; sql/jobs/is_time.sql 8ab81df002c7
function service_private.is_value(value text, type regtype) returns boolean: sql, stable, parallel safe, for service_user; sql/rules/is_value.sql 93f45e6d8351
function service_private.is_whole(value jsonb, lowest integer, highest integer) returns boolean: sql, immutable; sql/jobs/is_whole.sql fc005ca40b1d
function service_private.iso_time(moment timestamp with time zone) returns text: sql, stable, parallel safe; sql/accounts/account/iso_time.sql 57ce4f3099ce
function service_private.issue_token(uid text, purpose text, token_hash bytea, lifetime interval, new_address text DEFAULT NULL::text, password_hash text DEFAULT NULL::text, session_id text DEFAULT NULL::text) returns TABLE(email text, display_name text): plpgsql, volatile; sql/accounts/proof/issue_token.sql 0766a56e4ae4
function service_private.item_expression(sent text, type text, template text) returns text: sql, immutable, parallel safe; sql/write/plan/item_expression.sql c28ff8f97771
function service_private.job_backlog() returns TABLE(task text, due integer, failed integer, waited double precision): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/jobs/job_backlog.sql 2322c85b98f2
function service_private.job_turn(worker_id text, ids uuid[], workers text[], attempts integer[], outcomes jsonb[], wanted jsonb, asleep boolean) returns json: plpgsql, volatile, set jit=off; sql/jobs/job_turn.sql 95bf1a0ba5ce
function service_private.join_equations(jointree jsonb) returns TABLE(relation integer, attnum smallint, operator oid, collated oid, known_first integer[]): plpgsql, immutable, set search_path=pg_catalog, pg_temp; sql/catalog/join_equations.sql 2c09831b092b
function service_private.join_parts(jointree jsonb) returns TABLE(node jsonb, known_first integer[]): plpgsql, immutable, set search_path=pg_catalog, pg_temp; sql/catalog/join_parts.sql f8f68ad84fb3
function service_private.joined_conditions(condition jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/joined_conditions.sql 00cd05eb132d
function service_private.json_comparison(expression text, property service.properties, path text[], condition jsonb) returns text: plpgsql, stable; sql/compile/filter/json_comparison.sql 02cef098c437
function service_private.json_path(expression text, path text[]) returns text: plpgsql, immutable, parallel safe; sql/compile/filter/json_path.sql 6c7fd346cfa0
function service_private.judged_policies(served service.collections, operation text, stored text, changed jsonb, claims jsonb) returns jsonb: plpgsql, volatile; sql/access/judged_policies.sql 0c0a9715c726
function service_private.junction_name(relation service.relations) returns text: sql, stable; sql/compile/names/junction_name.sql 66e21f08d8ad
function service_private.junction_policies(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/junction_policies.sql 1c964daad22c
function service_private.junction_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/junction_problems.sql 255771b837d3
function service_private.junctions(schema text) returns SETOF oid: sql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/junctions.sql 4bb963a55c63
function service_private.keep_account(account service.users) returns void: plpgsql, volatile; sql/accounts/account/keep_account.sql 7a55b84eb174
function service_private.keep_answer(request jsonb, answer json) returns json: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/idempotency/as_owner/keep_answer.sql 12f1c2b1d988
function service_private.keep_broadcasts() returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/keep_broadcasts.sql f50ebdd9068f
function service_private.keep_file_statements() returns void: plpgsql, volatile; sql/storage/authorize/keep_file_statements.sql a2f3244eae53
function service_private.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb) returns void: plpgsql, stable, for service_user; sql/provision/triggers/keep_key.sql 0f142b8b165a
function service_private.keep_messages(channels text[], events text[], payloads text[], senders uuid[]) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/keep_messages.sql 3282d73490ee
function service_private.keep_passkey_challenge(challenge_hash bytea, uid text DEFAULT NULL::text) returns void: sql, volatile; sql/accounts/passkeys/keep_passkey_challenge.sql e664653ed016
function service_private.keep_tables(schema text, unprotected text, among oid[] DEFAULT NULL::oid[]) returns TABLE(slug text, reason text, remedy text): plpgsql, volatile, set jit=off; sql/catalog/keep_tables.sql 36eb9fcca086
function service_private.keep_upload(id uuid, token uuid, received bigint, held jsonb) returns boolean: sql, volatile; sql/storage/uploads/keep_upload.sql 5361cbc1214b
function service_private.keeps_rule(type text, code text, value jsonb, text text, bound text) returns boolean: sql, stable, parallel safe, for service_user; sql/write/validate/keeps_rule.sql 55760b435869
function service_private.kept_answer(shape jsonb, answer text DEFAULT NULL::text) returns text: sql, immutable, parallel safe; sql/write/plan/kept_answer.sql 1806c37d8a22
function service_private.kept_json(value jsonb) returns json: plpgsql, immutable, for service_user; sql/write/history/kept_json.sql c2bae8915cf2
function service_private.kept_key_conditions(plan jsonb, body text, id text) returns text[]: sql, stable; sql/write/plan/kept_key_conditions.sql 3e8a5e843ca0
function service_private.kept_parts(collection text, field text, sent jsonb, stored jsonb, closed jsonb, merges boolean DEFAULT false) returns jsonb: plpgsql, stable, for service_user; sql/write/plan/kept_parts.sql f7d736d3ed34
function service_private.kept_session(body text, search_path text) returns text: sql, volatile, for service_user; sql/functions/kept_session.sql 665dd9a1bd8b
function service_private.kept_settings(more text[] DEFAULT '{}'::text[]) returns jsonb: sql, stable; sql/psql/kept_settings.sql 002f1b3375b7
function service_private.key_column(collection text) returns text: plpgsql, stable; sql/collections/declared/key_column.sql ab1f6586192f
function service_private.key_column_for(name text) returns text: sql, immutable, parallel safe; sql/collections/names/key_column_for.sql b8f61c48069d
function service_private.key_columns(collection text) returns text[]: sql, stable; sql/write/links/key_columns.sql ca20afe70ffe
function service_private.key_conditions(collection text, alias text, id text) returns text[]: plpgsql, stable; sql/compile/filter/key_conditions.sql d4ac3e1a4f35
function service_private.key_parameters(key text, pattern text, names text[]) returns jsonb: plpgsql, immutable; sql/storage/rules/key_parameters.sql a8e259803f3e
function service_private.key_pattern(path text) returns TABLE(pattern text, names text[], problem text): plpgsql, immutable; sql/storage/rules/key_pattern.sql a7878b17c6b0
function service_private.key_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/key_problems.sql c505e9a6b10a
function service_private.key_properties(collection text) returns SETOF service.properties: plpgsql, stable; sql/compile/names/key_properties.sql 21599fd9b6a2
function service_private.key_scopes() returns jsonb: sql, stable, parallel safe, for service_user; sql/identity/key_scopes.sql 3dc30222f19a
function service_private.key_types(collection text) returns jsonb: sql, stable; sql/write/links/key_types.sql 5884bb88d66a
function service_private.known_type(type text) returns text: plpgsql, stable, parallel safe; sql/write/validate/known_type.sql 04349c9d09d4
function service_private.lane_path(schema text) returns text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/identity/lane_path.sql 0fdfb234d55c
function service_private.large_broadcast(id bigint) returns text: sql, stable; sql/realtime/channels/large_broadcast.sql 59aab48cb209
function service_private.latest_cron_slot(schedule text, timezone text, since timestamp with time zone, until timestamp with time zone) returns timestamp with time zone: plpgsql, stable; sql/cron/latest_cron_slot.sql 8eb09d35e51c
function service_private.lease_changes(reader uuid, relations oid[], keyed boolean[]) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/lease_changes.sql e08e162233a9
function service_private.length_problem(name text, what text) returns text: sql, stable, parallel safe; sql/collections/names/length_problem.sql 65ba08597b0b
function service_private.link_conditions(relation service.relations) returns text[]: plpgsql, stable; sql/write/links/link_conditions.sql ebe54e09a922
function service_private.link_guest(uid text, email text, password_hash text) returns void: plpgsql, volatile; sql/accounts/account/link_guest.sql fdb4283d335b
function service_private.link_identity(uid text, session_id text, provider text, provider_id text, email text, vouches boolean, profile jsonb) returns TABLE(already_linked boolean, photo_url text): plpgsql, volatile; sql/accounts/identities/link_identity.sql be8f9b34782b
function service_private.link_pairs(relation service.relations, target_alias text, link_alias text, source_alias text) returns text[]: plpgsql, stable; sql/compile/include/link_pairs.sql 5dde88684372
function service_private.link_plan(relation service.relations, op text) returns jsonb: plpgsql, stable; sql/write/links/link_plan.sql c2eb51566bb5
function service_private.link_plans(served service.collections, op text, sent text[], roles text[]) returns jsonb: plpgsql, stable; sql/write/links/link_plans.sql 8c8e614b0b7d
function service_private.link_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/link_problems.sql 4504413b807d
function service_private.link_properties(relation service.relations) returns SETOF service.properties: plpgsql, stable; sql/compile/names/link_properties.sql 01a92ccf65a4
function service_private.link_rows(relation service.relations, source text, listed text) returns text: plpgsql, stable; sql/write/links/link_rows.sql 9544f27f1a8b
function service_private.link_state(relation service.relations, rows text) returns text: plpgsql, stable; sql/write/links/link_state.sql 4d681f2db89a
function service_private.link_statement(relation service.relations, rows text) returns text: plpgsql, stable; sql/write/links/link_statement.sql a6c4cbba1873
function service_private.link_violations(body jsonb, links jsonb) returns TABLE(field text, code text, message text): plpgsql, stable; sql/write/links/link_violations.sql 0ae1e69bd403
function service_private.linked_row(linked service.collections, alias text, columns text[], junction text, junction_columns text[]) returns text: sql, immutable, parallel safe; sql/rules/linked_row.sql 49aadffcebb6
function service_private.linking_columns(relation service.relations) returns TABLE(schema_name text, table_name text, name text): sql, stable; sql/compile/names/linking_columns.sql 96d48c52f5be
function service_private.list_accounts(page_limit integer, page_offset bigint, search text DEFAULT NULL::text, role text DEFAULT NULL::text, order_by text DEFAULT 'createdAt'::text, descending boolean DEFAULT true) returns json: sql, stable, set jit=off; sql/accounts/manage/list_accounts.sql f79953cf10b1
function service_private.list_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/list_answer.sql 7d64ad56fdcd
function service_private.list_api_keys() returns json: sql, stable, set jit=off; sql/accounts/keys/list_api_keys.sql eeede087160f
function service_private.list_cron_logs(job_id text, most integer) returns json: sql, stable; sql/cron/list_cron_logs.sql e025c33f7810
function service_private.listed(value jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/listed.sql ea2f3cc4ace1
function service_private.listed_links(relation service.relations) returns text[]: plpgsql, stable; sql/write/links/listed_links.sql 0a51a351f29e
function service_private.listed_text(list text[]) returns text: sql, immutable, parallel safe, for service_user; sql/search/listed_text.sql 260a8d4ab577
function service_private.literal_fault(value jsonb, type text) returns text: plpgsql, stable; sql/rules/literal_fault.sql 93a1f8a05349
function service_private.literal_path(names text[]) returns text[]: sql, immutable, parallel safe; sql/compile/parts/literal_path.sql 515b99cc5fea
function service_private.literal_pattern(literal text) returns text: sql, immutable, parallel safe; sql/storage/rules/literal_pattern.sql 9c7b4eb6e4ad
function service_private.live_conditions(collection text, alias text, deleted text DEFAULT NULL::text) returns text[]: plpgsql, stable; sql/compile/filter/live_conditions.sql 3eabec429628
function service_private.lock_leases() returns void: sql, volatile; sql/realtime/changes/lock_leases.sql 35f8ea1df548
function service_private.log_skipped_cron_run(job_id text, manual boolean) returns json: plpgsql, volatile; sql/cron/log_skipped_cron_run.sql 20f33335f8b3
function service_private.logged_claims(uid text, roles text) returns jsonb: sql, stable; sql/access/logged_claims.sql a87fb8fa9dc0
function service_private.logical(collection text, alias text, node jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/logical.sql 8583fbd4c9ba
function service_private.login_role(name text, password text, settings jsonb, renew boolean DEFAULT false) returns void: plpgsql, volatile; sql/identity/login_role.sql 11ad4584c494
function service_private.managed_account(uid text) returns json: plpgsql, stable; sql/accounts/manage/managed_account.sql 3a01d4de784b
function service_private.managed_account_json(account service.users) returns json: sql, stable; sql/accounts/manage/managed_account_json.sql 09b85ef0832c
function service_private.many_answer(request jsonb, answers text[]) returns json: sql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/batch/as_owner/many_answer.sql 9d75279edc5d
function service_private.many_shape(request jsonb) returns jsonb: sql, stable, for service_user; sql/write/batch/many_shape.sql 9cf3fa3d1fce
function service_private.mask_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/mask_problems.sql 04ceabb6fbd6
function service_private.may_caller_delete_file(caller text[], file jsonb) returns boolean: plpgsql, volatile, for service_user; sql/storage/cleanup/may_caller_delete_file.sql ca5a7ac123bb
function service_private.may_delete_file(file jsonb) returns boolean: plpgsql, volatile, for service_user; sql/storage/cleanup/may_delete_file.sql 7597cd07e65c
function service_private.may_hold_endpoints(schema_name name) returns boolean: sql, immutable, parallel safe; sql/functions/may_hold_endpoints.sql eb65987f8318
function service_private.may_register(open boolean, closed boolean, production boolean) returns boolean: plpgsql, stable; sql/accounts/account/may_register.sql f38c537abbb9
function service_private.may_remind(uid text) returns boolean: sql, stable; sql/accounts/proof/may_remind.sql 6436c19fb033
function service_private.membership(relation service.relations, alias text, condition jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/membership.sql fc8af9b64731
function service_private.memberships(membership jsonb) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/write/tenants/memberships.sql 4a539205680a
function service_private.messages_since(channel text, since bigint) returns TABLE(seq bigint, sender uuid, frame text): sql, stable, set jit=off; sql/realtime/channels/messages_since.sql 67d365603964
function service_private.missing_fields(served service.collections, sent text[]) returns jsonb: plpgsql, stable; sql/write/validate/missing_fields.sql 33512c16e8e4
function service_private.missing_grants() returns SETOF text: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/missing_grants.sql 470e53fb3165
function service_private.moved_columns(relation service.relations) returns text[]: sql, stable; sql/write/links/moved_columns.sql a4197d8d60c8
function service_private.moved_fields(request jsonb, plan jsonb) returns text[]: plpgsql, stable; sql/write/validate/moved_fields.sql 999ee6380c4b
function service_private.name_list(names text[]) returns text: sql, immutable, parallel safe; sql/provision/name_list.sql a432e9391b0c
function service_private.name_parts(name text) returns text[]: plpgsql, immutable, set search_path=pg_catalog, pg_temp; sql/catalog/name_parts.sql 30a8c77d49eb
function service_private.name_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/name_problems.sql bd0fefd1bb5e
function service_private.named_among(source text, spellings text[]) returns text[]: plpgsql, stable, set row_security=off set jit=off; sql/storage/cleanup/named_among.sql fbb5bdbdad00
function service_private.named_column(collection text, name text) returns text: plpgsql, stable; sql/collections/declared/named_column.sql 996116238d41
function service_private.named_columns(stored jsonb, columns text[]) returns jsonb: sql, immutable, parallel safe; sql/write/history/named_columns.sql 53844f64c023
function service_private.named_files(held service.storage_properties, row_name text) returns text: sql, immutable; sql/storage/cleanup/named_files.sql fa90c311c760
function service_private.named_function(name text, arguments text[]) returns regprocedure: plpgsql, stable; sql/catalog/named_function.sql 12818290932d
function service_private.named_roles(condition text) returns text[]: sql, immutable, parallel safe; sql/access/named_roles.sql 677c04e44083
function service_private.narrowed_scopes(held text[], asked text[]) returns text[]: sql, immutable, parallel safe; sql/oauth/narrowed_scopes.sql cbb74626b711
function service_private.native_array(elements jsonb) returns text: sql, immutable, parallel safe; sql/collections/columns/native_array.sql 80e10a01637e
function service_private.needs_entering(statement text) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/compile/statement/needs_entering.sql ad34fe7fca34
function service_private.nested_path(request jsonb) returns jsonb: sql, immutable, parallel safe; sql/write/links/nested_path.sql 76fd93bf4d41
function service_private.nested_plan(served service.collections, shape jsonb, roles text[]) returns jsonb: plpgsql, stable; sql/write/links/nested_plan.sql 54bc47b29c13
function service_private.new_parent(relation service.relations, rows text) returns jsonb: sql, immutable, parallel safe; sql/write/links/new_parent.sql ee342ae0161c
function service_private.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) returns text: plpgsql, stable; sql/compile/order/next_cursor.sql 98d4c9dfaebd
function service_private.next_due(tasks text[], shares jsonb DEFAULT NULL::jsonb) returns timestamp with time zone: plpgsql, stable, set plan_cache_mode=force_generic_plan set enable_seqscan=off; sql/jobs/next_due.sql 96ea6ec544f5
function service_private.node_tree(tree text) returns jsonb: plpgsql, immutable, parallel safe; sql/catalog/node_tree.sql b455f2ac3b00
function service_private.normal_email(email text) returns text: plpgsql, immutable, parallel safe; sql/accounts/account/normal_email.sql ad2093139cac
function service_private.normal_rules(rules jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/normal_rules.sql 120e6854b63e
function service_private.normal_search(search jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/normal_search.sql 1ad6c70ffc2b
function service_private.normalized_text(text text, rules jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/write/validate/normalized_text.sql ec8c30b8ac9c
function service_private.notify_of_file(caller text[], event jsonb) returns jsonb: plpgsql, volatile, for service_user; sql/storage/triggers/notify_of_file.sql f10aee433268
function service_private.null_row_conditions(shape jsonb) returns text[]: plpgsql, stable; sql/functions/null_row_conditions.sql c8b2223651ca
function service_private.oauth_refusal(error text, description text) returns jsonb: sql, immutable, parallel safe; sql/oauth/oauth_refusal.sql ffeeec9c6afd
function service_private.on_ddl() returns event_trigger: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp; sql/catalog/as_owner/on_ddl.sql ff54c6d09bb7
function service_private.one_or_all(names text[]) returns jsonb: sql, immutable, parallel safe; sql/catalog/contract/one_or_all.sql 57f0bf34011a
function service_private.open_block(item text, blocks jsonb, depth integer) returns text: sql, stable; sql/compile/parts/open_block.sql 7cae374f5956
function service_private.open_challenge(uid text, challenge_id text) returns service.mfa_challenges: plpgsql, volatile; sql/accounts/factors/open_challenge.sql 5c91cabd9753
function service_private.open_code(request_id uuid, request_expires_at timestamp with time zone, uid text, session jsonb, client jsonb, request jsonb, code_hash bytea, lifetime interval) returns text: plpgsql, volatile; sql/oauth/open_code.sql 6bd5e63137b9
function service_private.open_document(document jsonb, parts jsonb) returns jsonb: plpgsql, stable; sql/webhooks/open_document.sql eee8d8239838
function service_private.open_expression(value text, closed jsonb, depth integer DEFAULT 1) returns text: plpgsql, immutable; sql/compile/parts/open_expression.sql ec694a3e7558
function service_private.open_parts(value jsonb, closed jsonb) returns jsonb: plpgsql, immutable, for service_user; sql/compile/parts/open_parts.sql c22b358877ea
function service_private.open_tables(schema text) returns SETOF text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/open_tables.sql 0f78bfd3229a
function service_private.operand(field text, condition jsonb, OUT operator text, OUT symbol text, OUT template text, OUT families text[], OUT negated text, OUT takes text, OUT parameter integer, OUT list boolean) returns record: plpgsql, stable; sql/compile/filter/operand.sql 7e23e710b542
function service_private.operand_items(field text, property service.properties, operation text) returns text: plpgsql, stable; sql/write/plan/operand_items.sql 8891174134c7
function service_private.operand_rules(rules jsonb, operation text) returns jsonb: plpgsql, immutable; sql/write/validate/operand_rules.sql 3e5ddfe8739f
function service_private.operand_sql(operand jsonb, type text, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/operand_sql.sql 3981ced97327
function service_private.operand_type(operand jsonb, collection text, checked_collection text) returns text: plpgsql, stable; sql/rules/operand_type.sql f2c955f4d9d1
function service_private.operand_types(sql_type text) returns SETOF oid: sql, stable; sql/compile/filter/operand_types.sql ae7ac81f7a19
function service_private.operation_bounds(served service.collections, operations jsonb) returns TABLE(field text, code text, message text, condition text): sql, stable; sql/write/plan/operation_bounds.sql 25adc72007b7
function service_private.operation_expression(field text, property service.properties, operation text, roles text[]) returns text: plpgsql, stable; sql/write/plan/operation_expression.sql fb8111c5c94e
function service_private.operator_name(sql_type text, operator text) returns text: plpgsql, stable; sql/compile/filter/operator_name.sql 51d06c133226
function service_private.operators() returns TABLE(operator text, symbol text, template text, families text[], negated text, takes text): sql, immutable, parallel safe; sql/compile/filter/operators.sql d843d2fb1531
function service_private.order_by(collection text, alias text, requested jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/order/order_by.sql 1d4da71696c9
function service_private.order_keys(collection text, alias text, requested jsonb, roles text[]) returns TABLE(n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean): plpgsql, stable; sql/compile/order/order_keys.sql f478eca40e6b
function service_private.orphaned_files(source text, keys text[], buckets text[]) returns SETOF text: plpgsql, stable, set jit=off; sql/storage/cleanup/orphaned_files.sql 35de60726265
function service_private.other_gateways(settings jsonb) returns TABLE(pid integer, address text, since timestamp with time zone, subjects text[]): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/operations/settings/other_gateways.sql 733f384d4b09
function service_private.own_columns(relation oid, ancestor oid) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/webhooks/own_columns.sql 49670bcd033c
function service_private.own_passkey(uid text, session_id text, id text) returns service.passkeys: plpgsql, volatile; sql/accounts/passkeys/own_passkey.sql a0974ac8c5a4
function service_private.own_upload(id text, asker text) returns service.storage_uploads: plpgsql, stable; sql/storage/uploads/own_upload.sql 6b063e9a7f12
function service_private.owner_of(condition text) returns text: sql, immutable, parallel safe; sql/access/owner_of.sql e0021deb6fa0
function service_private.page(collection text, shape jsonb, conditions text[], roles text[]) returns text: plpgsql, stable; sql/compile/statement/page.sql 28bfa65f98f2
function service_private.page_columns(collection text, shape jsonb) returns text: plpgsql, stable; sql/compile/statement/page_columns.sql dcbefc13d4b9
function service_private.page_order(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/order/page_order.sql ba5861b2d57a
function service_private.page_rows(collection text, shape jsonb, conditions text[], sorted text) returns text: plpgsql, stable; sql/compile/statement/page_rows.sql 078c90192fad
function service_private.page_source(rows text, further_ctes text[], OUT ctes text, OUT source text) returns record: plpgsql, immutable; sql/compile/statement/page_source.sql 040d92c15f4b
function service_private.parent_rows(path jsonb, id text, conditions text[] DEFAULT '{}'::text[]) returns text: plpgsql, stable; sql/compile/filter/parent_rows.sql 7d69cfbee376
function service_private.parent_state(relation service.relations, parents text) returns text: sql, immutable, parallel safe; sql/write/links/parent_state.sql 30fe0c03fc6f
function service_private.part_attributes(definition jsonb) returns jsonb: plpgsql, stable; sql/collections/columns/part_attributes.sql 1456f383ea07
function service_private.part_closed(attributes jsonb, roles text[], act text) returns text: sql, immutable, parallel safe; sql/compile/parts/part_closed.sql 4a057dc6495e
function service_private.part_conditions(sent text, type text, attributes jsonb) returns text[]: plpgsql, stable; sql/write/plan/part_conditions.sql 9c7a25c2efe8
function service_private.part_problems(definition jsonb, place text, unfilled text) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/part_problems.sql 29aed9557e73
function service_private.passkey_for_sign_in(id text) returns TABLE(uid text, public_key bytea, counter bigint, handle bytea): sql, stable; sql/accounts/passkeys/passkey_for_sign_in.sql 6b6ed3873ba6
function service_private.passkey_json(passkey service.passkeys) returns json: sql, stable; sql/accounts/passkeys/passkey_json.sql 8b4129e93b6e
function service_private.passkeys_of(uid text) returns json: sql, stable; sql/accounts/passkeys/passkeys_of.sql a383c49ef51f
function service_private.password_of(uid text) returns text: sql, stable; sql/accounts/sessions/password_of.sql 2ba59d3b1f18
function service_private.password_of_token(token_hash bytea) returns text: plpgsql, volatile; sql/accounts/proof/password_of_token.sql 04fb10b838bb
function service_private.path_base(field text) returns text: sql, immutable, parallel safe; sql/compile/filter/path_base.sql e705e38781c3
function service_private.path_collection(path jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/names/path_collection.sql 62ab8cf3dc22
function service_private.path_conditions(path jsonb, alias text, id text DEFAULT '$%s'::text) returns text[]: plpgsql, stable; sql/compile/filter/path_conditions.sql 132405cf6f35
function service_private.path_fields(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/filter/path_fields.sql 837d6c9795f8
function service_private.path_pivot(path jsonb, shape jsonb) returns text[]: plpgsql, stable; sql/compile/include/path_pivot.sql ba124ab41df1
function service_private.path_relation(path jsonb) returns service.relations: plpgsql, stable; sql/compile/names/path_relation.sql 8b6b800e3e9c
function service_private.pattern(declared text) returns text: sql, immutable, parallel safe, for service_user; sql/write/validate/pattern.sql 6ce3c2a90010
function service_private.pattern_fault(pattern text) returns text: plpgsql, stable; sql/collections/problems/pattern_fault.sql 9c5d269fafae
function service_private.pause_polling(reader uuid, awake boolean) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/pause_polling.sql f7aa4ff4af5a
function service_private.pause_webhook(id text) returns void: sql, volatile; sql/webhooks/pause_webhook.sql b0219f5a73b5
function service_private.pivot_columns(relation service.relations, prefix text) returns TABLE(n bigint, name text, column_name text, sql_type text, alias text): sql, immutable; sql/compile/include/pivot_columns.sql ced1ce36254e
function service_private.pivot_properties(relation service.relations) returns SETOF service.properties: plpgsql, stable; sql/write/links/pivot_properties.sql 1f9ef9847e6b
function service_private.pivot_statement(relation service.relations, rows text) returns text: plpgsql, stable; sql/write/links/pivot_statement.sql 0594db94aa56
function service_private.pivot_violations(path text, pivot jsonb, link jsonb) returns TABLE(field text, code text, message text): plpgsql, stable; sql/write/links/pivot_violations.sql 2e2e4de48c85
function service_private.placeholder_address(provider text, provider_id text) returns text: sql, immutable, parallel safe; sql/accounts/identities/placeholder_address.sql f785ea8dfdfa
function service_private.plain_clause(expression text) returns text: sql, immutable, parallel safe; sql/audit/plain_clause.sql 6b1fb3464c1c
function service_private.plain_literal(text text) returns text: sql, immutable, parallel safe; sql/collections/columns/plain_literal.sql 57ab163c2dc0
function service_private.plan_callbacks(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_callbacks.sql e30822519021
function service_private.plan_columns(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_columns.sql 553c6f0fbbc4
function service_private.plan_enums(wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_enums.sql 62700ffa85fa
function service_private.plan_foreign_keys(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_foreign_keys.sql 9d65f4ab6ac8
function service_private.plan_grants(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_grants.sql 696d8890206e
function service_private.plan_indexes(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_indexes.sql 1324ddd07215
function service_private.plan_policies(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/plan_policies.sql c9bf280e5352
function service_private.plan_project(project jsonb) returns jsonb: plpgsql, volatile, set standard_conforming_strings=on set jit=off; sql/collections/changes/plan_project.sql 4ec746a9ad01
function service_private.plan_row_security(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_row_security.sql 80d0e8de1e53
function service_private.plan_schemas(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_schemas.sql 5eb4e5924c07
function service_private.plan_search(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/plan_search.sql 0bdf4364c6a3
function service_private.plan_tables(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_tables.sql 0844612f6ceb
function service_private.plan_webhooks() returns TABLE(name text, statement text, problem text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/webhooks/plan_webhooks.sql 0fc16dd9507b
function service_private.plurals() returns jsonb: sql, immutable, parallel safe; sql/catalog/plurals.sql 05be0fe5d769
function service_private.policies_in_words(policies jsonb, served service.collections, operation text, stored text, changed jsonb, claims jsonb) returns text: plpgsql, volatile; sql/access/policies_in_words.sql 2919cdafc30b
function service_private.policy_origin(policy oid) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/policy_origin.sql 827d96002614
function service_private.policy_state(policy oid) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/policy_state.sql 92484329787a
function service_private.policy_statement(policy text, on_table text, clause text, meaning text, origin text, drops text) returns text: plpgsql, immutable, parallel safe; sql/rules/policy_statement.sql b9c2c251cbb8
function service_private.poll_changes(reader uuid, seen pg_snapshot) returns TABLE(snapshot text, known boolean, changes json): plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off set enable_seqscan=off; sql/realtime/changes/poll_changes.sql f735aabdbb45
function service_private.prepared_search(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/search/prepared_search.sql 713a71dac0cd
function service_private.presence_key(id text) returns integer: sql, immutable; sql/operations/presence_key.sql 783fecfc03c7
function service_private.project_origin(project jsonb) returns text: sql, stable; sql/collections/define/project_origin.sql d10adbb42edd
function service_private.project_with(definition jsonb) returns jsonb: sql, stable; sql/collections/define/project_with.sql e91ac0a00712
function service_private.properties_of(collection text) returns SETOF service.properties: sql, stable; sql/functions/properties_of.sql c20beef57d18
function service_private.property_column(collection text, name text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/declared/property_column.sql dd378c870d04
function service_private.property_kind(definition jsonb) returns text: sql, immutable, parallel safe; sql/collections/declared/property_kind.sql bd09dee9d678
function service_private.property_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/property_problems.sql 6cb4b5ba99ae
function service_private.property_type(type oid) returns text: sql, stable; sql/catalog/property_type.sql 1f8fab84197d
function service_private.prove_address(uid text, keeps_password boolean DEFAULT false, keeps_identities boolean DEFAULT false, unlinks boolean DEFAULT true) returns boolean: plpgsql, volatile; sql/accounts/proof/prove_address.sql 99052834f706
function service_private.prove_by_token(token_hash bytea, purpose text, unlinks boolean DEFAULT true) returns text: plpgsql, volatile; sql/accounts/proof/prove_by_token.sql 2ee25e0a4996
function service_private.prune_channels() returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/prune_channels.sql b5c9423a1664
function service_private.publish_in_channels(gateway uuid, channels text[], ids uuid[], states text[], notifications text[]) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/publish_in_channels.sql 3c460b57fbe6
function service_private.publish_leases() returns void: sql, volatile; sql/realtime/changes/publish_leases.sql 20912c286a0a
function service_private.publish_sleepers() returns void: sql, volatile; sql/jobs/publish_sleepers.sql 5d4ec9fa3a2a
function service_private.punycode(label text) returns text: plpgsql, immutable, parallel safe; sql/accounts/account/punycode.sql fa95a25f1511
function service_private.punycode_digit(value integer) returns text: sql, immutable, parallel safe; sql/accounts/account/punycode_digit.sql 4a5a566e34a0
function service_private.put_job(task text, payload jsonb, options jsonb DEFAULT '{}'::jsonb) returns uuid: plpgsql, volatile; sql/jobs/put_job.sql d1fca762e33c
function service_private.put_release(file jsonb) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/cleanup/as_owner/put_release.sql 83ad5becfd51
function service_private.ranked_conditions(block jsonb) returns text[]: sql, immutable; sql/search/ranked_conditions.sql caffe78ec0f3
function service_private.rate_limit(key text, most integer, at timestamp with time zone DEFAULT clock_timestamp(), OUT allowed boolean, OUT remaining integer, OUT retry_after integer) returns record: plpgsql, volatile, set search_path=pg_catalog, pg_temp; sql/limits/rate_limit.sql 999c2c9c92dd
function service_private.reachable_account(email text) returns TABLE(uid text): sql, stable; sql/accounts/proof/reachable_account.sql b7f3ac5e3471
function service_private.reached_by(alias text, columns text[], operators text[], parent_rows text, parent_columns text[]) returns text: sql, immutable, parallel safe; sql/compile/include/reached_by.sql bf945663df82
function service_private.reached_part(closed jsonb, path text[]) returns text: plpgsql, immutable; sql/compile/parts/reached_part.sql f529831c574f
function service_private.read_back(statement text, caller text[], key text) returns json: plpgsql, volatile, for service_user; sql/write/read_back.sql f18b31cf5cd1
function service_private.readable(property service.properties, roles text[]) returns boolean: sql, immutable; sql/compile/names/readable.sql 3fbc47e50605
function service_private.readable_search(collection text, roles text[]) returns jsonb: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/readable_search.sql 02553b8db042
function service_private.reading_roles(source text, definition jsonb) returns text[]: sql, immutable, parallel safe; sql/catalog/reading_roles.sql 3fc09224e019
function service_private.record_change(collection text, key text, stamp text, was jsonb, became jsonb, difference jsonb DEFAULT NULL::jsonb) returns boolean: plpgsql, volatile, set plan_cache_mode=force_generic_plan set enable_seqscan=off; sql/write/history/record_change.sql c21472e8e2b8
function service_private.record_deliveries(deliveries jsonb) returns void: plpgsql, volatile; sql/webhooks/record_deliveries.sql 9cbeb853b1bd
function service_private.record_metrics(instance text, samples jsonb) returns void: sql, volatile, set search_path=pg_catalog, pg_temp; sql/metrics/record_metrics.sql ad99f202e36f
function service_private.record_slow_requests(shapes jsonb) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/metrics/record_slow_requests.sql bec9e2638842
function service_private.redeem_code(code_hash bytea, client_id text, redirect_uri text, code_challenge text, resource text, refresh_hash bytea, lifetime interval) returns jsonb: plpgsql, volatile; sql/oauth/redeem_code.sql 7451d24d0b4c
function service_private.redeem_token(token_hash bytea, purposes text[]) returns service.one_time_tokens: plpgsql, volatile; sql/accounts/proof/redeem_token.sql 8738091d23cf
function service_private.redefine_collections(project jsonb) returns jsonb: plpgsql, volatile, set standard_conforming_strings=on set jit=off; sql/collections/define/redefine_collections.sql 9330b3524602
function service_private.refresh_identity(provider text, provider_id text, email text, vouches boolean, profile jsonb) returns void: sql, volatile; sql/accounts/identities/refresh_identity.sql 2af9b7866b4b
function service_private.refresh_session(refresh_hash bytea, next_hash bytea, lifetime interval, reuse_window interval) returns json: plpgsql, volatile; sql/accounts/sessions/refresh_session.sql c39d540cfe23
function service_private.refusal_of(state text, OUT status integer, OUT code text) returns record: sql, immutable, parallel safe; sql/access/refusal_of.sql dc238789593c
function service_private.refuse_arguments(function text, code text, fields text[], violation text, message text) returns void: plpgsql, stable; sql/functions/refuse_arguments.sql c341367e78f5
function service_private.refuse_closed(collection text, body jsonb, doubtful jsonb) returns void: plpgsql, stable; sql/write/validate/refuse_closed.sql 8fe87112643c
function service_private.refuse_excluded(collection text, fields text[]) returns void: plpgsql, stable; sql/write/validate/refuse_excluded.sql 8d27a5d5e01b
function service_private.refuse_identity() returns void: plpgsql, stable; sql/accounts/identities/refuse_identity.sql 22a63dbec204
function service_private.refuse_operations(request jsonb, plan jsonb) returns void: plpgsql, stable; sql/write/validate/refuse_operations.sql b56d41f58667
function service_private.refuse_part(collection text, field text, roles text[]) returns void: plpgsql, stable; sql/compile/parts/refuse_part.sql c8edbb08a0b9
function service_private.refuse_reading(property service.properties, message text, because text) returns void: plpgsql, stable; sql/compile/names/refuse_reading.sql 8bb9ccd6f53e
function service_private.refuse_recursion() returns void: plpgsql, volatile, for service_user; sql/provision/triggers/refuse_recursion.sql 9730d8fafc9d
function service_private.refuse_single_factor(account service.users) returns void: plpgsql, stable; sql/accounts/factors/refuse_single_factor.sql 11ccfb358dcf
function service_private.refuse_stamp(collection text, field text) returns void: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/validate/as_owner/refuse_stamp.sql c847d4015060
function service_private.refuse_tenant(collection text, field text, code text) returns text: plpgsql, stable, for service_user; sql/write/tenants/refuse_tenant.sql 44929358e730
function service_private.refuse_token(token_hash bytea, purposes text[]) returns void: plpgsql, stable; sql/accounts/proof/refuse_token.sql d6db52f18423
function service_private.refuse_unaffected(request jsonb, current text, moved text[] DEFAULT NULL::text[]) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/validate/as_owner/refuse_unaffected.sql 60c8341319d4
function service_private.refuse_unwritable(collection text, fields text[], message text DEFAULT NULL::text) returns void: plpgsql, stable, for service_user; sql/write/validate/refuse_unwritable.sql 56a64766c807
function service_private.refuse_violations(collection text, violations jsonb) returns void: plpgsql, stable, for service_user; sql/write/validate/refuse_violations.sql 5d3f46e728b2
function service_private.refused_columns(served service.collections, problem jsonb) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/validate/refused_columns.sql ab59fc043692
function service_private.register(email text, password_hash text, display_name text, default_role text, open boolean, closed boolean, production boolean, is_verified boolean DEFAULT false, photo_url text DEFAULT NULL::text) returns text: plpgsql, volatile; sql/accounts/account/register.sql a482bcd24825
function service_private.register_client(client_id text, secret_hash bytea, client_name text, redirect_uris text[], grant_types text[], scope text, most integer) returns boolean: plpgsql, volatile; sql/oauth/register_client.sql d7b0f72108f8
function service_private.registered_client(client_id text) returns jsonb: sql, stable; sql/oauth/registered_client.sql e18cc10770c5
function service_private.reject_callback(collection text, stage text, status integer, message text) returns void: plpgsql, volatile, for service_user; sql/provision/triggers/reject_callback.sql 0047143b9271
function service_private.related_condition(relation service.relations, alias text, field text, condition jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/related_condition.sql 58ac7e4a3ee5
function service_private.related_exists(wanted boolean, relation service.relations, alias text, target_alias text, conditions text[] DEFAULT '{}'::text[]) returns text: plpgsql, stable; sql/compile/filter/related_exists.sql 6155c15bf876
function service_private.relation_problems(unreadable text[]) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/relation_problems.sql 6c51fa2eb78a
function service_private.relation_source(relation service.relations, source_alias text, target_alias text, OUT source text, OUT conditions text[]) returns record: plpgsql, stable; sql/compile/include/relation_source.sql f43079251760
function service_private.release_body(slug text, releases text) returns text: sql, stable; sql/storage/cleanup/release_body.sql 0e7c9d001781
function service_private.release_files(storage jsonb, id text, was text[], became text[] DEFAULT NULL::text[]) returns void: plpgsql, volatile, for service_user; sql/storage/cleanup/release_files.sql f11cb906caa4
function service_private.release_files_as_owner(storage jsonb, id text, was text[], became text[] DEFAULT NULL::text[]) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp; sql/storage/cleanup/release_files_as_owner.sql f185b52854b3
function service_private.release_upload(id uuid, token uuid, received bigint, held jsonb) returns boolean: sql, volatile; sql/storage/uploads/release_upload.sql eb0da83d765a
function service_private.released_files(storage jsonb, id text, was text[], became text[]) returns SETOF jsonb: sql, immutable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/cleanup/as_owner/released_files.sql b6e09574ac78
function service_private.remove_factor(uid text, session_id text, factor_id text) returns void: plpgsql, volatile; sql/accounts/factors/remove_factor.sql c96b7bcad252
function service_private.remove_identity(uid text, session_id text, provider text, provider_id text DEFAULT NULL::text) returns void: plpgsql, volatile; sql/accounts/identities/remove_identity.sql 2577dbe126d6
function service_private.remove_passkey(uid text, session_id text, id text) returns void: plpgsql, volatile; sql/accounts/passkeys/remove_passkey.sql 8a84fc81bc51
function service_private.remove_unproven_identities(uid text, address text, unlinks boolean DEFAULT true) returns text[]: plpgsql, volatile; sql/accounts/proof/remove_unproven_identities.sql 8a31a7f209d3
function service_private.remove_upload(id uuid, token uuid) returns boolean: sql, volatile; sql/storage/uploads/remove_upload.sql 14bb7859261c
function service_private.rename_passkey(uid text, session_id text, id text, friendly_name text) returns json: plpgsql, volatile; sql/accounts/passkeys/rename_passkey.sql 2c564e2b35ea
function service_private.renew_lease(reader uuid, seen pg_snapshot, sockets integer, subscriptions integer) returns boolean: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/renew_lease.sql 6d4327e13cb1
function service_private.replacement(field text, sent text, property service.properties, roles text[]) returns text: plpgsql, stable; sql/write/plan/replacement.sql 9f40abfedd47
function service_private.request_claims(uid text, roles text, is_anonymous text, jwt text) returns text: sql, immutable, parallel safe, for service_user; sql/identity/request_claims.sql 0b9981899af8
function service_private.request_hash(request jsonb) returns bytea: sql, immutable, parallel safe; sql/write/idempotency/request_hash.sql 46cd27ffc547
function service_private.require_accounts(relation regclass, key_column text) returns void: plpgsql, stable; sql/provision/require_accounts.sql e5a1b8087e77
function service_private.require_aggregate_names(collection text, shape jsonb) returns void: plpgsql, stable; sql/compile/aggregate/require_aggregate_names.sql 0daa475f4dae
function service_private.require_arguments(shape jsonb) returns void: plpgsql, stable; sql/functions/require_arguments.sql 0a8f8fae0dbd
function service_private.require_at_most(count bigint, most bigint, code text, collection text DEFAULT NULL::text) returns void: plpgsql, stable; sql/write/batch/require_at_most.sql 5862620718e5
function service_private.require_cursor(collection text, shape jsonb, roles text[]) returns void: plpgsql, stable; sql/compile/order/require_cursor.sql 83caef38f0c7
function service_private.require_earlier_refs(value jsonb, refs text[], index integer) returns void: plpgsql, stable; sql/write/batch/require_earlier_refs.sql a1779f7c6814
function service_private.require_email(email text) returns text: plpgsql, stable; sql/accounts/account/require_email.sql bd6173790408
function service_private.require_file_fits(request jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/limits/as_owner/require_file_fits.sql 78e397305df5
function service_private.require_filterable(property service.properties, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_filterable.sql fc141e8ef9ec
function service_private.require_found(request jsonb, current text) returns void: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/validate/as_owner/require_found.sql 874bfca31673
function service_private.require_history(served service.collections) returns void: plpgsql, stable; sql/write/history/require_history.sql 889bb531e21e
function service_private.require_job_options(options jsonb) returns void: plpgsql, stable; sql/jobs/require_job_options.sql 58d02b813a9d
function service_private.require_key_rank(uid text, given text[]) returns void: plpgsql, volatile; sql/accounts/manage/require_key_rank.sql 5aba8d60b883
function service_private.require_key_scope(scope text) returns void: plpgsql, stable, for service_user; sql/identity/require_key_scope.sql a373d50ce813
function service_private.require_known_fields(served service.collections, sent text[], roles text[]) returns void: plpgsql, stable; sql/write/validate/require_known_fields.sql 9d27e42bf653
function service_private.require_linkable(relation service.relations, op text, roles text[]) returns void: plpgsql, stable; sql/write/links/require_linkable.sql 370387137c29
function service_private.require_linked(link jsonb, state jsonb) returns void: plpgsql, stable, for service_user; sql/write/links/require_linked.sql e01ffbf960fd
function service_private.require_nestable(relation service.relations, shape jsonb) returns void: plpgsql, stable; sql/write/links/require_nestable.sql fe005eb917c2
function service_private.require_open_fields(served service.collections, op text, sent text[], roles text[]) returns void: plpgsql, stable; sql/write/validate/require_open_fields.sql 0bb880a504be
function service_private.require_open_path(property service.properties, path text[], roles text[]) returns text: plpgsql, stable; sql/compile/parts/require_open_path.sql d9075e068c42
function service_private.require_operations(served service.collections, operations jsonb, sent text[], roles text[]) returns void: plpgsql, stable; sql/write/validate/require_operations.sql 87dd61d5bcb9
function service_private.require_other_admin(uid text) returns void: plpgsql, volatile; sql/accounts/manage/require_other_admin.sql bebe92393403
function service_private.require_parent(request jsonb, state text) returns void: plpgsql, stable, for service_user; sql/write/links/require_parent.sql 891a7252eac1
function service_private.require_path_readable(path jsonb, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_path_readable.sql 54e2378d4635
function service_private.require_pending_sign_in(uid text, tokens_valid_after text) returns void: plpgsql, stable; sql/accounts/factors/require_pending_sign_in.sql 5cb363c6085e
function service_private.require_rank(uid text, given text[], rank jsonb) returns void: plpgsql, volatile; sql/accounts/manage/require_rank.sql b1408cf299af
function service_private.require_readable(property service.properties, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_readable.sql 69b35da971c6
function service_private.require_readable_ids(request jsonb, ids jsonb) returns void: plpgsql, stable, for service_user; sql/write/links/require_readable_ids.sql ecf48645a4cd
function service_private.require_relation_readable(relation service.relations, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_relation_readable.sql ad5948eba628
function service_private.require_resolved(relation service.relations) returns void: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/compile/names/require_resolved.sql 7cc9f1891650
function service_private.require_response_fields(collection text, fields jsonb, roles text[]) returns void: plpgsql, stable; sql/write/validate/require_response_fields.sql ad6aa060764d
function service_private.require_second_factor(uid text, session_id text) returns void: plpgsql, stable; sql/accounts/factors/require_second_factor.sql f082f0cdf3d1
function service_private.require_time_zone(name text) returns void: plpgsql, stable; sql/cron/require_time_zone.sql bc050c4fa8d2
function service_private.require_unmasked(property service.properties, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_unmasked.sql f7a8f660402c
function service_private.require_way_in(uid text) returns void: plpgsql, stable; sql/accounts/proof/require_way_in.sql 899e7f1c6bc5
function service_private.required_message(field text, attributes jsonb) returns text: sql, immutable, parallel safe; sql/write/validate/required_message.sql 4f06c37f9e48
function service_private.reseal_factor(factor_id uuid, before bytea, sealed_secret bytea) returns void: sql, volatile; sql/accounts/factors/reseal_factor.sql df1f7a9cda7e
function service_private.reserved_problem(name text) returns text: sql, stable, parallel safe; sql/collections/names/reserved_problem.sql 87d6846de037
function service_private.reset_password(token_hash bytea, password_hash text, unlinks boolean DEFAULT true) returns text: plpgsql, volatile; sql/accounts/proof/reset_password.sql b22b43928737
function service_private.resolve_identity(provider text, provider_id text, email text, vouches boolean, profile jsonb, default_role text, open boolean, closed boolean, production boolean, unlinks boolean DEFAULT true) returns TABLE(uid text, is_new boolean, was_proven boolean, must_confirm boolean, may_remind boolean): plpgsql, volatile; sql/accounts/identities/resolve_identity.sql cc5aad386027
function service_private.resolve_webhooks() returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/webhooks/resolve_webhooks.sql dd87dd6e9976
function service_private.rest_worker(worker_id text, asleep boolean) returns void: plpgsql, volatile; sql/jobs/rest_worker.sql ffa424c793d5
function service_private.restore_settings(settings jsonb) returns void: plpgsql, volatile, for service_user; sql/psql/restore_settings.sql aefc7a865921
function service_private.restricted_fault(statements text[]) returns text: plpgsql, volatile, set standard_conforming_strings=on set search_path=public, pg_temp; sql/provision/restricted_fault.sql e0ddc109dc14
function service_private.restricted_parts(attributes jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/columns/restricted_parts.sql 9612155e0caa
function service_private.returned_columns(collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb) returns jsonb: plpgsql, stable, for service_user; sql/provision/triggers/returned_columns.sql cdfa151fa4b3
function service_private.revert_plan(collection text, roles text[]) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan, for service_user; sql/write/history/as_owner/revert_plan.sql 2618d614ffb2
function service_private.revert_row(caller text[], request jsonb) returns json: plpgsql, volatile, for service_user; sql/write/history/revert_row.sql c7976dcdc057
function service_private.reverted_fields(fields jsonb, stored jsonb, entry jsonb) returns jsonb: sql, immutable, for service_user; sql/write/history/reverted_fields.sql 7b53b37fbcdf
function service_private.revoke_api_key(id text) returns void: plpgsql, volatile; sql/accounts/keys/revoke_api_key.sql 95e2d3170f4d
function service_private.revoke_family(refresh_hash bytea, client_id text) returns text: sql, volatile; sql/oauth/revoke_family.sql 152801a724c9
function service_private.ring_workers() returns boolean: sql, volatile; sql/jobs/ring_workers.sql 303d412267a9
function service_private.role_faults(login text) returns SETOF text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/identity/role_faults.sql 2d063b0a5fb4
function service_private.roles_test(operator text, roles jsonb) returns text: plpgsql, immutable, parallel safe; sql/rules/roles_test.sql 22d422fc01aa
function service_private.rotate_token(refresh_hash bytea, client_id text, asked text[], next_hash bytea, lifetime interval) returns jsonb: plpgsql, volatile; sql/oauth/rotate_token.sql fc076fd7d581
function service_private.row_count(collection text, shape jsonb, conditions text[], most text DEFAULT NULL::text) returns text: plpgsql, stable; sql/compile/statement/row_count.sql b5a3e317f655
function service_private.row_document(stored anyelement, relation oid) returns jsonb: plpgsql, stable; sql/webhooks/row_document.sql 00b2f6f705ea
function service_private.row_id_of_files(collection text, row_name text) returns text: sql, stable; sql/storage/cleanup/row_id_of_files.sql e338f71163bb
function service_private.row_keys(relations oid[]) returns TABLE(relation oid, key smallint[], problem text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/row_keys.sql 0b90cd5d8b73
function service_private.row_source(collection text, shape jsonb) returns text: plpgsql, stable; sql/functions/row_source.sql aff2b458ae6c
function service_private.row_statement(collection text, answer text, conditions text[]) returns text: plpgsql, stable; sql/write/plan/row_statement.sql 1919ab5dddd3
function service_private.row_tag(collection text, alias text, roles text[], version text DEFAULT NULL::text) returns text: plpgsql, stable; sql/compile/row/row_tag.sql 0c5a42b199fc
function service_private.row_triggers(served service.collections, op text) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/validate/row_triggers.sql 18bbe8b67333
function service_private.rule_condition(rule jsonb, clause text) returns jsonb: plpgsql, immutable, parallel safe; sql/rules/rule_condition.sql 0636b396df56
function service_private.rule_conditions(sent text, sent_text text, type text, attributes jsonb) returns text[]: plpgsql, stable; sql/write/plan/rule_conditions.sql fca416a83f0e
function service_private.rule_operations(rule jsonb) returns TABLE(operation text, several boolean): sql, immutable, parallel safe; sql/rules/rule_operations.sql a22a1a962996
function service_private.rule_path(definition jsonb, collection text, number bigint) returns text: plpgsql, immutable, parallel safe; sql/rules/rule_path.sql e7783491563a
function service_private.rule_predicate(collection text, alias text, rule jsonb, clause text) returns text: plpgsql, stable; sql/rules/rule_predicate.sql 41ee764871b5
function service_private.rule_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/rule_problems.sql be53e0bb7ed4
function service_private.rule_sql(collection text, alias text, sql text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/rule_sql.sql 32131cb2093f
function service_private.rule_warnings() returns TABLE(path text, warning text): plpgsql, stable, set jit=off set standard_conforming_strings=on; sql/collections/problems/rule_warnings.sql 2dee5ecff18e
function service_private.run(request json, claims jsonb, prefix text DEFAULT ''::text) returns SETOF text: sql, volatile; sql/psql/run.sql 8ae32c406bee
function service_private.run_planned(statement text, parameters text[]) returns text: plpgsql, volatile, for service_user; sql/write/run_planned.sql faa7d37e23bd
function service_private.run_shape(shape jsonb, parameters text[], claims jsonb, prefix text DEFAULT ''::text, body text DEFAULT NULL::text) returns SETOF text: plpgsql, volatile, set TimeZone=UTC set DateStyle=ISO, YMD set IntervalStyle=postgres set extra_float_digits=1 set jit=off; sql/psql/run_shape.sql b4f2920d201f
function service_private.run_write(request jsonb, plan jsonb, moved text[], sent text DEFAULT NULL::text) returns text: plpgsql, volatile, for service_user; sql/write/run_write.sql 4a56dd40fb8b
function service_private.runs_as_caller(options text[]) returns boolean: sql, stable; sql/catalog/runs_as_caller.sql a860d5775cf6
function service_private.same_default(stored text, wanted text, type text) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/same_default.sql f1dbd83e22a5
function service_private.same_row(collection text, alias text, columns text[], listed_alias text) returns text[]: plpgsql, stable; sql/write/links/same_row.sql 222bb61c9a2f
function service_private.same_type(wanted text, type oid, modifier integer) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/same_type.sql cb4194f26b91
function service_private.scalar_value(expression text, sql_type text) returns text: plpgsql, stable, parallel safe; sql/compile/row/scalar_value.sql 91e8b10edd2a
function service_private.schema_version() returns text: sql, stable; sql/collections/schema_version.sql 7a5238d698e8
function service_private.score_columns(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/search/score_columns.sql 539fe34aa347
function service_private.score_order(collection text, requested jsonb, roles text[]) returns text: plpgsql, stable; sql/search/score_order.sql bd14bd28e0a7
function service_private.seal_policy(relation regclass, name text, meaning text, origin text) returns void: plpgsql, volatile; sql/rules/seal_policy.sql c66b1602da86
function service_private.seal_version() returns text: sql, stable; sql/rules/seal_version.sql 96e9c0337a2a
function service_private.search_block(collection text) returns jsonb: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/search_block.sql bc0ac44ef9b9
function service_private.search_condition(block jsonb, vector text, folded text) returns text: plpgsql, immutable; sql/search/search_condition.sql 42747c24a4d6
function service_private.search_conditions(collection text, alias text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/search/search_conditions.sql b69a1ae96b8f
function service_private.search_context(block jsonb, parameter text) returns text[]: plpgsql, immutable; sql/search/search_context.sql 56c9d6fe08fa
function service_private.search_document(collection text, path text, prefix text, length integer) returns text: sql, stable; sql/search/search_document.sql 46f404754b81
function service_private.search_documents(collection text, block jsonb, prefix text) returns TABLE(n bigint, path text, weight text, document text): sql, stable; sql/search/search_documents.sql a94c7998eef8
function service_private.search_finder(collection text) returns TABLE(name text, body text): sql, stable, set search_path=pg_catalog, pg_temp; sql/search/search_finder.sql 5e6171b196f4
function service_private.search_folded(expression text, block jsonb) returns text: sql, immutable, parallel safe; sql/search/search_folded.sql 909ccf6855be
function service_private.search_matches(collection text, block jsonb) returns text: plpgsql, stable; sql/search/search_matches.sql 4e971210259d
function service_private.search_meaning(remark text) returns text: sql, immutable, parallel safe; sql/search/search_meaning.sql f1177eb1a025
function service_private.search_patterns(text text) returns text[]: sql, immutable, parallel safe, for service_user; sql/search/search_patterns.sql ebf9906636d3
function service_private.search_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/search_problems.sql e1c44c816521
function service_private.search_query(config regconfig, text text, every boolean) returns tsquery: plpgsql, immutable, parallel safe, set client_min_messages=warning, for service_user; sql/search/search_query.sql cee304d6514b
function service_private.search_score(block jsonb, vector text, folded text) returns text: plpgsql, immutable; sql/search/search_score.sql e77eaddd055a
function service_private.search_snippet(config regconfig, query tsquery, document text, hits text[]) returns text: plpgsql, immutable, parallel safe, set client_min_messages=warning, for service_user; sql/search/search_snippet.sql e1417475a715
function service_private.search_substrings(text text) returns text[]: sql, immutable, parallel safe, for service_user; sql/search/search_substrings.sql 14c9bf378015
function service_private.search_terms(text text) returns text[]: sql, immutable, parallel safe, for service_user; sql/search/search_terms.sql c051b5b9fa25
function service_private.search_text(collection text, block jsonb, prefix text) returns text: sql, stable; sql/search/search_text.sql d394c8844545
function service_private.search_vector(collection text, block jsonb, prefix text) returns text: sql, stable; sql/search/search_vector.sql 7196a711ad7d
function service_private.security_rules() returns TABLE(collection text, path text, n bigint, rule jsonb, operations text[], ways text[]): sql, stable; sql/collections/declared/security_rules.sql b85218193b88
function service_private.sent_arguments(shape jsonb) returns TABLE(n bigint, argument text, field text, type oid, is_variadic boolean): plpgsql, stable; sql/functions/sent_arguments.sql 568c5ea4f488
function service_private.sent_bodies(request json) returns json[]: sql, immutable, parallel safe, for service_user; sql/write/batch/sent_bodies.sql 1c3bf719c108
function service_private.sent_elements(value jsonb, key jsonb) returns jsonb: plpgsql, immutable, parallel safe, for service_user; sql/write/links/sent_elements.sql d32add7ac315
function service_private.sent_fields(served service.collections, names text[]) returns TABLE(field text, relation_kind text, unwraps text, property service.properties): sql, stable; sql/write/plan/sent_fields.sql d87e982a1ec6
function service_private.sent_id(item jsonb, key jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/write/links/sent_id.sql 5f06d26d1946
function service_private.sent_links(served service.collections, sent text[]) returns SETOF service.relations: plpgsql, stable; sql/write/links/sent_links.sql 1a710dc5f7c6
function service_private.sent_operand(sent jsonb, operation text) returns jsonb: sql, immutable, parallel safe, for service_user; sql/write/validate/sent_operand.sql fe82ffa9b92c
function service_private.sent_operations(request jsonb) returns jsonb: plpgsql, immutable, for service_user; sql/write/validate/sent_operations.sql adbb739ce476
function service_private.sent_record(body text, fields text[], types text[]) returns text: plpgsql, immutable, parallel safe; sql/write/plan/sent_record.sql f860d60bffdc
function service_private.service_claims() returns jsonb: sql, immutable, parallel safe; sql/psql/service_claims.sql cdc3ece3202d
function service_private.service_function(name text) returns TABLE(call text, problem text): sql, stable; sql/jobs/service_function.sql d3badfd3089e
function service_private.session_json(account service.users, session service.sessions) returns json: sql, volatile; sql/accounts/sessions/session_json.sql eb95b67e9019
function service_private.session_of_token(refresh_hash bytea) returns TABLE(uid text, session_id text): sql, stable; sql/accounts/sessions/session_of_token.sql 26321ce4a705
function service_private.sessions_of(uid text, current_session text) returns json: sql, stable; sql/accounts/sessions/sessions_of.sql 84b26ab4fd8a
function service_private.settings_digests(settings jsonb) returns TABLE(subject text, key integer, digest integer): sql, immutable, set search_path=pg_catalog, pg_temp set jit=off; sql/operations/settings/settings_digests.sql 1ed4de60b3b2
function service_private.settle_jobs(ids uuid[], workers text[], attempts integer[], outcomes jsonb[], OUT gone uuid[], OUT locked uuid[], OUT queues text[], OUT gave_back boolean) returns record: plpgsql, volatile; sql/jobs/settle_jobs.sql 9cc9150761a7
function service_private.short_hash(meaning text) returns text: sql, immutable, parallel safe; sql/provision/short_hash.sql 3701a3db5f54
function service_private.short_name(stem text, suffix text) returns text: plpgsql, immutable, parallel safe; sql/provision/short_name.sql 4c5a5b7dbc95
function service_private.show_upload(id text, asker text) returns json: sql, stable; sql/storage/uploads/show_upload.sql 29cec3b12ece
function service_private.shown_columns(collection text, alias text, node jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/row/shown_columns.sql e261d614e5ea
function service_private.shown_pivot(relation service.relations, prefix text) returns text[]: plpgsql, stable; sql/compile/include/shown_pivot.sql 19410d30d182
function service_private.shown_row(collection text, alias text) returns text: plpgsql, stable; sql/compile/row/shown_row.sql 08bad3cb6c01
function service_private.shown_type(type oid) returns text: sql, stable; sql/catalog/shown_type.sql 8b0149982139
function service_private.shown_value(parameter integer, sql_type text, list boolean, field text) returns text: sql, stable; sql/compile/filter/shown_value.sql 880e8456c372
function service_private.singular(name text) returns text: plpgsql, immutable, parallel safe; sql/catalog/singular.sql 796f48bb8aaf
function service_private.slug_problems(project jsonb) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/slug_problems.sql 34f46b1c1287
function service_private.snake_case(name text) returns text: sql, immutable, parallel safe; sql/collections/names/snake_case.sql fcdceb1a7a08
function service_private.snapshot(served service.collections, alias text) returns text: sql, stable; sql/write/history/snapshot.sql 45dd3a7b5c2e
function service_private.soft_delete_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/soft_delete_problems.sql 0744cf690d59
function service_private.sort_aggregate(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text) returns record: plpgsql, stable; sql/compile/order/sort_aggregate.sql 21fc9520399e
function service_private.sort_key(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text, OUT nullable boolean, OUT property text) returns record: plpgsql, stable; sql/compile/order/sort_key.sql ed99c08075b8
function service_private.sort_property(collection text, field text, roles text[]) returns service.properties: plpgsql, stable; sql/compile/order/sort_property.sql 91369a668c14
function service_private.sorts_by_score(collection text, shape jsonb) returns boolean: sql, stable; sql/search/sorts_by_score.sql 6528a1b2c79c
function service_private.sql_type(type oid) returns text: sql, stable; sql/catalog/sql_type.sql e5b1630afc3a
function service_private.stamp_body(names text[], types text[], stamps text[], soft_delete text) returns text: sql, immutable; sql/provision/triggers/stamp_body.sql 8698c67d2962
function service_private.standing_settings() returns jsonb: sql, stable, set search_path=pg_catalog, pg_temp; sql/operations/settings/standing_settings.sql 6f010629fde9
function service_private.step_columns(collection text, named jsonb) returns text[]: sql, stable; sql/collections/declared/step_columns.sql 7bb5dedfa8c0
function service_private.step_effects() returns TABLE(n integer, kind text, pattern text, lock text, effect text, safer text): sql, immutable, parallel safe; sql/provision/risk/step_effects.sql 13e6eaf4ee9b
function service_private.step_table(statement text) returns regclass: sql, stable; sql/provision/risk/step_table.sql 90f74d597b5f
function service_private.storage_problems(definition jsonb) returns TABLE(suffix text, problem text): sql, stable; sql/collections/problems/storage_problems.sql 2d714f8a2b2f
function service_private.storage_rule_problems(rules jsonb) returns TABLE(path text, problem text): sql, volatile, set jit=off; sql/storage/rules/storage_rule_problems.sql d3c500689a85
function service_private.store_collections(project jsonb) returns void: plpgsql, volatile; sql/collections/define/store_collections.sql 3d8d9f46652f
function service_private.store_ends() returns void: sql, volatile; sql/collections/define/store_ends.sql ba1214d3416a
function service_private.store_files() returns void: sql, volatile; sql/storage/limits/store_files.sql 00023a9d580f
function service_private.store_foreign_keys() returns void: plpgsql, volatile; sql/collections/define/store_foreign_keys.sql 5a373b9f3d68
function service_private.store_junctions() returns void: sql, volatile; sql/collections/define/store_junctions.sql a04dff5130e3
function service_private.store_links() returns void: plpgsql, volatile; sql/collections/define/store_links.sql fe2c8ed07688
function service_private.store_via() returns void: sql, volatile; sql/collections/define/store_via.sql 588937c106b4
function service_private.stored_expression(field text, property service.properties, unwraps text, OUT read_as text, OUT expression text) returns record: plpgsql, stable; sql/write/plan/stored_expression.sql 755f749adfcd
function service_private.stored_fingerprint() returns text: sql, stable; sql/collections/define/stored_fingerprint.sql eee9866de124
function service_private.stored_row(served service.collections, id text, OUT stored text, OUT is_deleted boolean) returns record: plpgsql, stable; sql/access/stored_row.sql 024758b29d74
function service_private.stored_tag(served service.collections, roles text[]) returns text: sql, stable; sql/write/plan/stored_tag.sql fe24d6cca2b3
function service_private.substring_condition(collection text, alias text, roles text[]) returns text: sql, stable; sql/search/substring_condition.sql 65e200f4e0ce
function service_private.sweep_channels(leaving uuid) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/sweep_channels.sql 8c2db28802d3
function service_private.sweep_cron_claims() returns integer: sql, volatile; sql/cron/sweep_cron_claims.sql 48a6f2495716
function service_private.sweep_cron_logs(most integer DEFAULT 1000) returns integer: sql, volatile; sql/cron/sweep_cron_logs.sql b50f9195fed3
function service_private.sweep_metrics(most integer) returns integer: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/metrics/sweep_metrics.sql ac675b9c1a06
function service_private.sweep_oauth() returns integer: sql, volatile; sql/oauth/sweep_oauth.sql 020a064cc25f
function service_private.table_keys(tables oid[]) returns TABLE(relation oid, key smallint[]): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/table_keys.sql 060dc5071ea0
function service_private.table_name(collection text) returns text: plpgsql, stable; sql/compile/names/table_name.sql 0d0912cf2f03
function service_private.table_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/table_problems.sql 811275cf5ac9
function service_private.take_guest_link(token_hash bytea, session_uid text) returns void: plpgsql, volatile; sql/accounts/proof/take_guest_link.sql 3d6614a5b7aa
function service_private.take_oauth_request(id uuid, expires_at timestamp with time zone) returns boolean: plpgsql, volatile; sql/oauth/take_oauth_request.sql 651028554683
function service_private.take_passkey_challenge(challenge_hash bytea, uid text DEFAULT NULL::text) returns void: plpgsql, volatile; sql/accounts/passkeys/take_passkey_challenge.sql 7130c228e563
function service_private.take_request(key text, most integer, OUT allowed boolean, OUT remaining integer, OUT retry_after integer) returns record: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/limits/as_owner/take_request.sql ec609b0a9f92
function service_private.take_upload(id uuid, token uuid, stale uuid DEFAULT NULL::uuid) returns json: plpgsql, volatile; sql/storage/uploads/take_upload.sql a7af851a5b00
function service_private.takes_patterns(collection text, column_name text) returns boolean: plpgsql, stable; sql/compile/filter/takes_patterns.sql ecad1c0043a6
function service_private.target_slug(relation jsonb) returns text: sql, immutable, parallel safe; sql/collections/declared/target_slug.sql 3783497a6606
function service_private.target_type(link service.relations, OUT type text, OUT sql_type text, OUT whole jsonb) returns record: plpgsql, stable; sql/collections/define/target_type.sql a40677ecad7f
function service_private.tenant_body(collection text, field text, column_name text, type text, bypasses text, tenants text) returns text: sql, immutable; sql/provision/triggers/tenant_body.sql 05012d477bca
function service_private.tenant_conditions(collection text, alias text, roles text[]) returns text[]: plpgsql, stable; sql/compile/filter/tenant_conditions.sql d29fb525f8ff
function service_private.tenant_limit(served service.collections, operation text, stored text, changed jsonb, claims jsonb) returns TABLE(part text, name text, verdict text, message text): plpgsql, volatile, set search_path=pg_catalog, pg_temp; sql/access/tenant_limit.sql f3cdf5aa2a4d
function service_private.tenant_policies(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/tenant_policies.sql 7d8083f2fb9e
function service_private.tenant_problems(unreadable text[]) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/tenant_problems.sql 7692a01b9b99
function service_private.tend_jobs(worker_id text, asleep boolean, running uuid[], ms bigint) returns void: plpgsql, volatile, set jit=off; sql/jobs/tend_jobs.sql 1792bcdf4c99
function service_private.texts(list jsonb) returns text[]: plpgsql, immutable, parallel safe; sql/collections/declared/texts.sql dd8afcd31e5c
function service_private.texts_within(document jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/search/texts_within.sql a83cc08b5591
function service_private.token_parts(account service.users, family service.oauth_families) returns jsonb: sql, volatile; sql/oauth/token_parts.sql 8e42238b72a2
function service_private.told_address(email text) returns text: sql, immutable, parallel safe; sql/accounts/identities/told_address.sql 95a495e0635d
function service_private.total(collection text, shape jsonb, conditions text[], page_size text) returns text: plpgsql, stable; sql/compile/statement/total.sql 784b81fa167a
function service_private.touch_api_key(id uuid) returns void: sql, volatile; sql/accounts/keys/touch_api_key.sql 4a1de37e9708
function service_private.trashed_match(served service.collections, sent text[], target text[]) returns text: plpgsql, stable; sql/write/plan/trashed_match.sql 4454d395d426
function service_private.tried_columns(served service.collections, operation text, proposed jsonb, claims jsonb) returns jsonb: sql, stable; sql/access/tried_columns.sql c11abcce6291
function service_private.tried_commands(operation text) returns TABLE(n integer, command text, clause text): sql, immutable, parallel safe; sql/access/tried_commands.sql 3580a03cb39d
function service_private.tried_policies(relations oid[], operations text[], for_readers boolean DEFAULT false) returns TABLE(relation oid, operation text, name text, permissive boolean, command text, clause text, expression text, origin text, laid_out text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/access/tried_policies.sql 47bc2a3a6775
function service_private.tried_row(served service.collections, operation text) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/access/tried_row.sql 46d847397c0c
function service_private.tried_standing(uid text, key text) returns jsonb: plpgsql, stable; sql/access/tried_standing.sql fcc853fc81e6
function service_private.tried_statement(request json, claims jsonb, OUT statement text, OUT plan json) returns record: plpgsql, volatile, set jit=off; sql/access/tried_statement.sql 5b3f6a30a105
function service_private.tried_why(request json, claims jsonb) returns text: plpgsql, volatile; sql/access/tried_why.sql e4168a51829b
function service_private.type_family(type text) returns text: plpgsql, immutable, parallel safe; sql/rules/type_family.sql 010fe33bd14f
function service_private.type_in_words(type text, sql_type text) returns text: sql, immutable, parallel safe; sql/write/validate/type_in_words.sql d911d1880f17
function service_private.typed(value text, sql_type text, list boolean DEFAULT false) returns text: plpgsql, immutable, parallel safe; sql/compile/filter/typed.sql 0311d0854f82
function service_private.undeclared_column(served service.collections, column_name text) returns service.properties: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/validate/undeclared_column.sql 44172f505a38
function service_private.underlying_tables(relations oid[]) returns TABLE(root oid, relation oid, same boolean): sql, stable, set search_path=pg_catalog, pg_temp set jit=off set enable_nestloop=off; sql/realtime/changes/underlying_tables.sql fe4dbcf0b3a4
function service_private.undone(request json, claims jsonb, OUT answer json, OUT refusal jsonb, OUT words text) returns record: plpgsql, volatile; sql/access/undone.sql 6b81736d1c55
function service_private.unique_columns(served service.collections) returns TABLE(columns text[]): sql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/unique_columns.sql 6a9c78e988c1
function service_private.unknown_fields(collection text, sql text) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/rules/unknown_fields.sql cce0a2479425
function service_private.unlink_statement(relation service.relations, rows text, listed boolean) returns text: plpgsql, stable; sql/write/links/unlink_statement.sql 28cbebe51e48
function service_private.unmasked(property service.properties, roles text[]) returns boolean: sql, immutable; sql/compile/names/unmasked.sql df483dfc2f76
function service_private.unreadable_columns(served service.collections, request jsonb) returns text[]: plpgsql, stable; sql/write/validate/unreadable_columns.sql d7c2dc855e3b
function service_private.unsearchable_reason(collection text, path text[]) returns text: plpgsql, stable; sql/collections/problems/unsearchable_reason.sql 7e44b6e5eb79
function service_private.unsearchable_value(definition jsonb, path text[], depth integer) returns text: plpgsql, immutable; sql/collections/problems/unsearchable_value.sql 13cc30db1fa9
function service_private.unusable_reason(relation regclass) returns text: plpgsql, volatile; sql/rules/unusable_reason.sql 93fba0673906
function service_private.unused_prefix(collection text) returns text: plpgsql, stable; sql/compile/names/unused_prefix.sql cb57b2981d46
function service_private.unused_relation_name(collection text, wanted text) returns text: plpgsql, stable; sql/collections/define/unused_relation_name.sql 9fa9d4103e28
function service_private.unvalidated_keys() returns TABLE(schema_name text, table_name text, columns text[]): sql, stable; sql/catalog/unvalidated_keys.sql ddf7f4949097
function service_private.unverified_factor(uid text, session_id text, factor_id text) returns service.mfa_factors: plpgsql, volatile; sql/accounts/factors/unverified_factor.sql 7f66bb90fd0e
function service_private.unwrapped(value jsonb, field text) returns jsonb: sql, immutable, parallel safe, for service_user; sql/write/plan/unwrapped.sql cde4f3069755
function service_private.update_account(uid text, email text DEFAULT NULL::text, display_name text DEFAULT NULL::text, roles text[] DEFAULT NULL::text[], disabled boolean DEFAULT NULL::boolean, password_hash text DEFAULT NULL::text, rank jsonb DEFAULT 'null'::jsonb) returns json: plpgsql, volatile; sql/accounts/manage/update_account.sql b057f63be970
function service_private.update_api_key(id text, changes jsonb) returns json: plpgsql, volatile; sql/accounts/keys/update_api_key.sql ced3e55fc11f
function service_private.update_profile(uid text, display_name text, photo_url text) returns void: sql, volatile; sql/accounts/account/update_profile.sql 5b29c8d074b2
function service_private.update_statement(served service.collections, sent text[], body text, answer text, conditions text[], sources text[] DEFAULT '{}'::text[], sometimes text[] DEFAULT '{}'::text[], operations jsonb DEFAULT NULL::jsonb, roles text[] DEFAULT NULL::text[]) returns text: plpgsql, stable; sql/write/plan/update_statement.sql c6f944afc465
function service_private.upload_creator(id uuid, accounts boolean) returns jsonb: sql, stable; sql/storage/uploads/upload_creator.sql a5e466c48981
function service_private.upload_json(upload service.storage_uploads) returns json: sql, stable; sql/storage/uploads/upload_json.sql 25a044eae7e0
function service_private.use_account_hooks(functions jsonb) returns TABLE(hook text, problem text): plpgsql, volatile; sql/accounts/hooks/use_account_hooks.sql 2a2c1053abb3
function service_private.use_channel_rules(rules jsonb) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/use_channel_rules.sql 6de754f89680
function service_private.use_storage_rules(rules jsonb) returns TABLE(path text, problem text): plpgsql, volatile, set jit=off; sql/storage/rules/use_storage_rules.sql 7afe142617cf
function service_private.use_webhooks(given jsonb) returns TABLE(path text, problem text): plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/webhooks/use_webhooks.sql f1135d437fe9
function service_private.user_info(uid text, scope text) returns jsonb: sql, stable; sql/oauth/user_info.sql a54cf7e68dc5
function service_private.valid_fields(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/names/valid_fields.sql ccc7cc9010fd
function service_private.valid_relations(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/names/valid_relations.sql 07b5f940a06e
function service_private.validate_one(single jsonb, shape jsonb, INOUT plan jsonb, OUT moved text[]) returns record: plpgsql, stable, for service_user; sql/write/batch/validate_one.sql e96e5dfae002
function service_private.validate_write(request jsonb, plan jsonb) returns text[]: plpgsql, stable, for service_user; sql/write/validate/validate_write.sql 6c43dc962fce
function service_private.validated_fields(served service.collections, op text, sent text[], operations jsonb, roles text[]) returns jsonb: plpgsql, stable; sql/write/validate/validated_fields.sql d5f45c8a56df
function service_private.validation_problems(rules jsonb, kind text) returns TABLE(suffix text, problem text): plpgsql, stable; sql/collections/problems/validation_problems.sql 1dc24a09f49f
function service_private.value(parameter integer, sql_type text, list boolean DEFAULT false) returns text: sql, immutable, parallel safe; sql/compile/filter/value.sql ae422678583d
function service_private.value_answer(shape jsonb) returns text: plpgsql, stable; sql/functions/value_answer.sql afc43f714903
function service_private.value_attributes(definition jsonb) returns jsonb: plpgsql, stable; sql/collections/columns/value_attributes.sql 3a0818845a18
function service_private.value_condition(sent text, sent_text text, type text, sql_type text, attributes jsonb, is_part boolean DEFAULT false) returns text: plpgsql, stable; sql/write/plan/value_condition.sql 5f6f5231fec1
function service_private.value_conditions(plan jsonb, body text) returns text[]: plpgsql, stable; sql/write/plan/value_conditions.sql e5ab43e2a9db
function service_private.value_problems(definition jsonb, place text, unfilled text DEFAULT NULL::text) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/value_problems.sql 1523dcc8b79d
function service_private.value_rules(attributes jsonb) returns jsonb: sql, immutable, parallel safe; sql/write/validate/value_rules.sql 34b14993b8e2
function service_private.value_spec(property service.properties, operation text DEFAULT NULL::text) returns jsonb: sql, stable; sql/write/validate/value_spec.sql d9674a712819
function service_private.vector_conditions(collection text, alias text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/vector/vector_conditions.sql 1bfa2dd8ebf1
function service_private.vector_distance(collection text, alias text, vector jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/vector/vector_distance.sql 5c8a141c9bef
function service_private.vector_index(definition jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/columns/vector_index.sql 2b9002c1f7da
function service_private.vector_page(collection text, shape jsonb, conditions text[], roles text[]) returns text: plpgsql, stable; sql/compile/vector/vector_page.sql 94e849eaf84c
function service_private.vector_property(collection text, field text, roles text[]) returns service.properties: plpgsql, stable; sql/compile/vector/vector_property.sql 2f206e936d2b
function service_private.vector_scan(shape jsonb) returns text[]: plpgsql, stable; sql/compile/vector/vector_scan.sql 0a770fa442d6
function service_private.verdicts(expressions text[], source text, claims jsonb, stored text DEFAULT NULL::text, changed jsonb DEFAULT '{}'::jsonb) returns TABLE(verdict text, message text): plpgsql, volatile, set TimeZone=UTC set DateStyle=ISO, YMD set IntervalStyle=postgres set extra_float_digits=1 set jit=off; sql/access/verdicts.sql 13908aaf98a0
function service_private.verify_email(token_hash bytea, session_uid text) returns text: plpgsql, volatile; sql/accounts/proof/verify_email.sql 50c0412ba599
function service_private.verify_factor(uid text, session_id text, factor_id text, time_step bigint) returns void: plpgsql, volatile; sql/accounts/factors/verify_factor.sql c4327a936ab6
function service_private.version_columns(collection text, alias text) returns text[]: plpgsql, stable; sql/compile/row/version_columns.sql 2ccf53c349d1
function service_private.via_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/via_problems.sql 359b8c32bdfa
function service_private.via_source(relation service.relations) returns text: plpgsql, stable; sql/compile/include/via_source.sql e358e0f7fc78
function service_private.view_in_words(relation oid) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/access/view_in_words.sql e946ba7fc942
function service_private.view_key(view oid, keys jsonb) returns smallint[]: plpgsql, stable, set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off; sql/catalog/view_key.sql 96a079a5295c
function service_private.violation_details(collection text, fields text[], code text, message text) returns jsonb: sql, immutable, for service_user; sql/write/validate/violation_details.sql d39362814c7c
function service_private.violations(field text, value jsonb, type text, sql_type text, attributes jsonb) returns TABLE(field_path text, code text, message text): plpgsql, stable; sql/write/validate/violations.sql 7426a3b98dee
function service_private.waiting_jobs(tasks text[], shares jsonb DEFAULT NULL::jsonb) returns TABLE(task text, concurrency_key text, priority integer, most integer): sql, stable; sql/jobs/waiting_jobs.sql 236b28b955bb
function service_private.wanted_accounts(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, collection text, key text, row_function text, row_body text, account_function text, account_body text, filling text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_accounts.sql d119ed3bc332
function service_private.wanted_columns(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns service_private.wanted_column[]: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_columns.sql f68e5734786c
function service_private.wanted_foreign_keys(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, name text, columns text[], target_schema text, target_table text, target_columns text[], on_delete text, on_update text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_foreign_keys.sql e4e6827883fb
function service_private.wanted_history(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, function_for text, body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_history.sql 84438fd36c88
function service_private.wanted_indexes(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns TABLE(schema_name text, table_name text, relation oid, kind text, name text, is_unique boolean, columns text[], body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_indexes.sql 35a1f93b9da5
function service_private.wanted_policies(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, name text, clause text, meaning text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/rules/wanted_policies.sql 4c46c9fe14df
function service_private.wanted_releases(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, trigger_name text, condition text, as_owner boolean, function_for text, body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/storage/cleanup/wanted_releases.sql 97b26857129d
function service_private.wanted_search_columns(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(collection text, schema_name text, table_name text, relation oid, name text, type text, expression text, meaning text, index_keys text, attnum smallint, made_of text, ready boolean): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/wanted_search_columns.sql 626cf508d0e6
function service_private.wanted_stamps(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables(), wanted_columns service_private.wanted_column[] DEFAULT service_private.wanted_columns()) returns TABLE(schema_name text, table_name text, relation oid, function_for text, body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_stamps.sql 0220ce0936e4
function service_private.wanted_tables() returns service_private.wanted_table[]: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_tables.sql e3f98b3fe43a
function service_private.wanted_tenants(wanted_tables service_private.wanted_table[] DEFAULT service_private.wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, collection text, field text, column_name text, type text, bypasses text, tenants text, single boolean): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_tenants.sql fd2c196cbce6
function service_private.watch_ddl() returns boolean: plpgsql, volatile; sql/catalog/watch_ddl.sql 4cb097539e0b
function service_private.webhook_problems(given jsonb) returns TABLE(path text, problem text): sql, stable, set jit=off; sql/webhooks/webhook_problems.sql 7c9eae2ed8e9
function service_private.webhook_queue(id text, key text[]) returns text: sql, immutable, parallel safe; sql/webhooks/webhook_queue.sql 5b78a3102c74
function service_private.webhook_table(name text) returns TABLE(schema_name text, table_name text, relation regclass): sql, stable; sql/webhooks/webhook_table.sql 286de2e0167b
function service_private.where_conditions(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/filter/where_conditions.sql 38fabecc3e33
function service_private.whole_type(definition jsonb, is_key boolean, enum_type text) returns text: plpgsql, stable; sql/collections/columns/whole_type.sql 26313fd10b26
function service_private.whole_upload() returns json: sql, volatile; sql/storage/uploads/whole_upload.sql 13727ef598ce
function service_private.with_account(definition jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/declared/with_account.sql 191a41fdee12
function service_private.with_asked_values(answer text) returns text: sql, immutable, parallel safe; sql/compile/statement/with_asked_values.sql 6e96d0c7e958
function service_private.with_call(answer text, shape jsonb) returns text: plpgsql, stable; sql/functions/with_call.sql e657f06d7365
function service_private.with_endpoint(shape jsonb) returns jsonb: plpgsql, stable; sql/functions/with_endpoint.sql d1886bb3b6c3
function service_private.with_key(definition jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/declared/with_key.sql 81944196c850
function service_private.with_refs(value jsonb, rows jsonb) returns jsonb: plpgsql, stable, for service_user; sql/write/batch/with_refs.sql c32a0df6d7a7
function service_private.with_route(op text, path text[], request json) returns json: sql, immutable, parallel safe; sql/psql/with_route.sql 959f6c193c1a
function service_private.withdraw(uid text, client_id text, reason text) returns boolean: plpgsql, volatile; sql/oauth/withdraw.sql 91a01020b19b
function service_private.word_problem(name text) returns text: sql, stable, parallel safe; sql/collections/names/word_problem.sql fe87c8b5617d
function service_private.wrapped_calls(expression text) returns text: plpgsql, immutable, parallel safe; sql/audit/wrapped_calls.sql 86e18f77d54e
function service_private.write(caller text[], request jsonb, plan jsonb DEFAULT NULL::jsonb, sent text DEFAULT NULL::text) returns json: plpgsql, volatile, for service_user; sql/write/write.sql cb900b3717d1
function service_private.write_links(request jsonb, links jsonb, id text) returns void: plpgsql, volatile, for service_user; sql/write/links/write_links.sql ca10c53b3b3b
function service_private.write_many(caller text[], request jsonb, sent text DEFAULT NULL::text, known jsonb DEFAULT NULL::jsonb) returns json: plpgsql, volatile, for service_user; sql/write/batch/write_many.sql 5e409a466434
function service_private.write_one(caller text[], single jsonb, plan jsonb, moved text[], rows jsonb, sent json, OUT answer text, OUT stored json) returns record: plpgsql, volatile, for service_user; sql/write/batch/write_one.sql 7e979f8ea141
function service_private.write_plan(shape jsonb, roles text[]) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan, for service_user; sql/write/plan/as_owner/write_plan.sql 5387a85164b5
function service_private.write_shape(request jsonb) returns jsonb: sql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/plan/as_owner/write_shape.sql 2315a120dbb2
function service_private.written_collection(request jsonb) returns text: sql, stable; sql/write/links/written_collection.sql 6b16898a9936
function service_private.written_columns(served service.collections, op text, sent text[], body text DEFAULT NULL::text, sometimes text[] DEFAULT '{}'::text[], operations jsonb DEFAULT NULL::jsonb, roles text[] DEFAULT NULL::text[]) returns TABLE(column_name text, expression text, field text, read_as text): sql, stable; sql/write/plan/written_columns.sql 9ccda44b0f6d
function service_private.written_id(served service.collections) returns text: sql, stable; sql/write/plan/written_id.sql 61f2a0255e73
function service_private.written_pivot(relation service.relations) returns TABLE(name text, column_name text, expression text, read_as text): plpgsql, stable; sql/write/links/written_pivot.sql a80332f8aa5a

create event trigger service_ddl on ddl_command_end execute function service_private.on_ddl();

create event trigger service_drop on sql_drop execute function service_private.on_ddl();
