-- The schema "service" as the migrations leave it. Written by npm run schema from a migrated database: read it, do not edit it.

create role service_user nologin noinherit;

create schema service;
grant usage on schema service to service_user;

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

create type service.wanted_column as (
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
comment on type service.wanted_column is 'A column that collection files ask for. attnum is null while the table (relation) has none of that name; type is null for a vector where the server has no pgvector.';
grant usage on type service.wanted_column to public;

create type service.wanted_table as (
  schema_name text,
  table_name text,
  collection text,
  key text[],
  read_only boolean,
  soft_delete text,
  oid oid
);
comment on type service.wanted_table is 'A table that collection files ask for: that of a collection, or a junction of many-to-many relations (collection is null). key: the columns of its key; soft_delete: its column of deletion; oid is null while there is none.';
grant usage on type service.wanted_table to public;

create sequence service.changes_asked;
comment on sequence service.changes_asked is 'What gateways want to hear of, three bits a table (service.change_flags_at): of its changes, with keys of rows, and be rung. No value while none wants anything. Whoever writes a table reads it.';
grant select on sequence service.changes_asked to public;

create sequence service.changes_asked_until;
comment on sequence service.changes_asked_until is 'When the last of those gateways counts as gone, in seconds since 1970.';

create table service.account_hooks (
  hook text not null,
  function text not null,
  constraint account_hooks_pkey PRIMARY KEY (hook)
);
alter table service.account_hooks enable row level security;
comment on table service.account_hooks is 'The functions that take part where accounts are made, sign in and are deleted, as the settings file of the last start names them (service.use_account_hooks).';

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
CREATE TRIGGER announced AFTER DELETE OR UPDATE OF scopes, roles, rate_limit, expires_at, revoked_at ON service.api_keys FOR EACH ROW EXECUTE FUNCTION service.announce_account();
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
comment on table service.broadcasts is 'What service.broadcast said and no notification carries. kept: of a channel that keeps it, until a gateway has given it its number; else what is too large, until every gateway can have read it.';

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
comment on column service.catalog.defined_from is 'What the collections of files came from: a hash of the project and of the functions that read it, and the fingerprint of the rows that it gave. Null before the first.';

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
comment on table service.change_leases is 'The tables whose changes a gateway wants to hear of. keyed: with the keys of the rows, where somebody waits for one row; awake: it looks by itself, nobody needs to ring; until: as of the reader.';

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
comment on table service.changes is 'The outbox: statements that changed rows of tables which somebody asked for. keys: of the rows, as text; null: not told.';

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
comment on table service.channel_messages is 'What was said in channels that keep it. sender: the socket that said it, which is not told it; null for service.broadcast.';

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
comment on table service.channel_presences is 'Who is present in a channel, at which gateway: the id of a socket, and what it said of itself.';

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
comment on table service.history is 'What became of the rows of collections with history: one entry a change, written by the trigger _910_history of their table.';
comment on column service.history.collection is 'The slug. Entries of a collection that is gone stay until somebody deletes them.';
comment on column service.history.entity_id is 'The key of the row, as in its URL.';
comment on column service.history.number is 'Rises with every change of the row.';
comment on column service.history.action is 'create, update or delete; a soft delete is a delete too.';
comment on column service.history.snapshot is 'The columns of the row after the change, of a delete before it, as the API shows values (before afterRead; json as text). Without excluded columns and those that no property declares.';
comment on column service.history.previous is 'Of an update, the columns that it changed as they were before.';
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
comment on table service.idempotency_keys is 'What was answered to requests with an Idempotency-Key in the last 24 hours: caller (uid), request_hash (service.request_hash), answer (null without a body).';

create table service.jobs (
  id uuid default gen_random_uuid() not null,
  task text not null,
  payload jsonb default '{}'::jsonb not null,
  status text default 'pending'::text not null,
  run_at timestamp with time zone default now() not null,
  attempts integer default 0 not null,
  max_attempts integer default 3 not null,
  last_error text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  locked_at timestamp with time zone,
  locked_by text,
  idempotency_key text,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'succeeded'::text, 'failed'::text])))
);
alter table service.jobs enable row level security;
CREATE INDEX jobs_due ON service.jobs USING btree (run_at, created_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX jobs_idempotency_key ON service.jobs USING btree (idempotency_key) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));
CREATE INDEX jobs_over ON service.jobs USING btree (updated_at) WHERE (status = ANY (ARRAY['succeeded'::text, 'failed'::text]));
CREATE INDEX jobs_running ON service.jobs USING btree (locked_at) WHERE (status = 'running'::text);
comment on table service.jobs is 'What is to be done later, once at least (service.enqueue). attempts: how often it was begun; locked_at, locked_by: when its worker was heard of last; idempotency_key: while it is not over there is no other with this key. Failed ones stay to be looked at.';

create table service.login_key (
  only_row boolean default true not null,
  key text default encode(sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))), 'hex'::text) not null,
  constraint login_key_pkey PRIMARY KEY (only_row),
  constraint login_key_only_row_check CHECK (only_row)
);
alter table service.login_key enable row level security;
comment on table service.login_key is 'From this every gateway derives the passwords of the login roles of its lanes.';

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
comment on table service.mfa_factors is 'Second factors of accounts. sealed_secret: what codes are computed from, encrypted by the gateway. is_proven: whether the account''s address was proven by then (service.prove_address). last_time_step: the newest 30 seconds since the epoch whose code was taken; next_recovery_codes: SHA-256 hashes of those that become the account''s with the first right code, which is when it is verified.';

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
comment on table service.one_time_tokens is 'SHA-256 hashes of mailed links and codes. address, generation: email and tokens_valid_after of the account that the token was made for; session_id: the session that asked for a change of address. The token is worth nothing once one of them differs or the session is over (service.is_current). new_address, password_hash: the account''s once the token is redeemed. A used token stays until it expires, so that it can be told from an unknown one.';

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
comment on table service.properties is 'The columns of a collection under their wire names.';
comment on column service.properties.sql_type is 'The type that a value is cast to: the column''s, without length; the base type of a domain.';
comment on column service.properties.read_roles is 'Roles that may read it; null: everybody, empty: nobody.';
comment on column service.properties.attributes is 'Of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, of (the elements of an array), oneOf (its blocks: {typeField, valueField, properties}), properties (the parts of a map), keyValue; of a part also type, defaultValue, readRoles, writeRoles, excluded; of a property also isId, autoValue, defaultValue, dimensions, masked (afterRead shows something else in its place: service.filterable), restricted (service.restricted_parts). column {type, default, identity, unique, stamp, enumType, index} says how a property of a file is provisioned: a column that was there before has none.';

create unlogged table service.rate_limits (
  key text not null,
  seconds bigint[] not null,
  counts integer[] not null,
  last_second bigint not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
);
alter table service.rate_limits enable row level security;
CREATE INDEX rate_limits_last_second ON service.rate_limits USING btree (last_second);
comment on table service.rate_limits is 'What rate limits have allowed: for each key, a hash of limiter and subject, the seconds since the epoch with their counts.';

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
comment on column service.relations.via is 'Of a relation over a chain of joins: {cardinality: one or many, steps: [{schema, table, from, to: columns}]}, each from the table before to this one; the last is the target''s. junction_source and junction_target are the columns of service.via_source.';
comment on column service.relations.on_update is 'What a foreign key does when the key that it leads to changes, as PostgreSQL says it; null: nothing is said.';

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
CREATE TRIGGER announced AFTER UPDATE OF revoked_at ON service.sessions FOR EACH ROW WHEN ((new.revoked_at IS NOT NULL)) EXECUTE FUNCTION service.announce_account();
comment on table service.sessions is 'A session is one sign-in. method: how (password, anonymous, magic-link, otp, mfa or a provider); aal: with one factor or two; expires_at: when its last refresh token does; a revoked one stays until then, so that it can be told from an unknown one.';

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
comment on table service.storage_access is 'One row. given: what service.use_storage_rules was given, of which all of it is made, policies and triggers too; authorizer: the function that has to agree to what is done with files; has_policies: whether storage_policies has some; open_for: the operations of which whoever has not signed in is not turned away at once.';

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
comment on table service.storage_policies is 'Who may do what with files whose keys match; any that allows is enough, and where there are some, what none allows is refused. path: as written; pattern, names: of service.key_pattern; subject: the function, or the collection whose row decides; id: which name of the path is its id.';

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
comment on table service.storage_rows is 'What policies about rows ask, as service.file_statements writes it, of the catalog of this version.';

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
comment on table service.storage_uploads is 'Uploads that come in pieces, by the tus protocol. owner: who may go on with it; null: whoever knows its id. creator: who is told to have stored the file. metadata: as it was sent. received: how many of its bytes are durable; held: what its store needs to go on from there. holder: the request that writes now, which alone may change the two; claimant: the newest that wanted to, which the holder gives way to. finished_at: the file is there, the row only tells so. swept_at: when it was last tried to finish or to remove it, or was first seen whole.';

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
comment on table service.user_identities is 'What accounts are at other providers. email_verified: whether the provider vouches for that address; is_proven: whether it was linked by somebody who had shown that the account''s address is theirs.';

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
  constraint users_email_check CHECK ((NOT (email IS DISTINCT FROM service.normal_email(email)))),
  constraint users_email_key UNIQUE (email),
  constraint users_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint users_photo_url_check CHECK ((char_length(photo_url) <= 2048)),
  constraint users_roles_check CHECK (((array_position(roles, NULL::text) IS NULL) AND (array_position(roles, ''::text) IS NULL) AND (POSITION((','::text) IN (array_to_string(roles, ''::text))) = 0) AND (NOT (roles && '{anon,service}'::text[])))),
  constraint users_uid_check CHECK ((((char_length(uid) >= 1) AND (char_length(uid) <= 128)) AND (uid = btrim(uid)) AND (uid <> ALL (ARRAY['service'::text, 'anonymous'::text, 'anon'::text])) AND (uid !~ '^api-key:'::text)))
);
alter table service.users enable row level security;
CREATE INDEX users_created_at_uid_idx ON service.users USING btree (created_at, uid);
CREATE INDEX users_uid_idx ON service.users USING btree (uid) WHERE ('admin'::text = ANY (roles));
CREATE TRIGGER announced AFTER DELETE OR UPDATE OF roles, disabled, is_anonymous, tokens_valid_after ON service.users FOR EACH ROW EXECUTE FUNCTION service.announce_account();
comment on table service.users is 'The accounts of people. uid: a UUID, or the id that an imported account has elsewhere. email: in its normal form (service.normal_email). password_hash: a PHC string of argon2id, null without a password. password_proven: whether the address was proven when the password was set. tokens_valid_after: the account''s generation; access tokens of before are refused (service.account_standing), and one-time tokens of another one are worth nothing (service.is_current).';
function service."create"(collection text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/create.sql 7bfa07730740
function service.accepts_file(accepted text[], content_type text, file_name text) returns boolean: sql, immutable, parallel safe; sql/storage/limits/accepts_file.sql 363b22ed01fb
function service.account(uid text, session_id text) returns json: plpgsql, stable; sql/auth/account/account.sql a3b7fc9f2e75
function service.account_claims(uid text) returns jsonb: sql, stable; sql/psql/account_claims.sql 721dd6300984
function service.account_fields() returns TABLE(n integer, name text, column_name text, property jsonb): sql, immutable, parallel safe; sql/collections/declared/account_fields.sql 9dd7b64bfa59
function service.account_hook_function(hook text, function text) returns regprocedure: sql, stable; sql/auth/hooks/account_hook_function.sql 07dd03e11986
function service.account_hook_kinds() returns TABLE(hook text, arguments text[], result text): sql, immutable, parallel safe; sql/auth/hooks/account_hook_kinds.sql b573d64d7eb6
function service.account_json(account users, method text) returns json: sql, stable; sql/auth/account/account_json.sql c5900826de7b
function service.account_of_token(token_hash bytea) returns service.users: plpgsql, volatile; sql/auth/proof/account_of_token.sql ed4ccdaae1b8
function service.account_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/account_problems.sql b33a4e8f33ef
function service.account_rows(on_table text, key text, uid text, columns text[], account_columns text[], created text, condition text DEFAULT NULL::text) returns text: sql, immutable; sql/provision/triggers/account_rows.sql 7a1188ef454e
function service.account_rules(definition jsonb) returns TABLE(suffix text, rule jsonb): sql, immutable, parallel safe; policies/account_rules.sql 9af3556e6ae0
function service.account_standing(uid text, session_id text, issued_at numeric) returns jsonb: plpgsql, stable; sql/auth/account/account_standing.sql 242f2798dc52
function service.accounts_by_uid(uids text[]) returns json: sql, stable; sql/auth/manage/accounts_by_uid.sql f9667c8d0f79
function service.address_letters() returns int4multirange: sql, immutable, parallel safe; sql/auth/account/address_letters.sql b95376196147
function service.admin_clause() returns text: sql, immutable, parallel safe; sql/audit/admin_clause.sql 0655c0b9dc2a
function service.after_user_create(account users) returns void: plpgsql, volatile; sql/auth/hooks/after_user_create.sql 1eb9e90e6bd7
function service.aggregate_alias(aggregate jsonb) returns text: sql, immutable, parallel safe; sql/compile/aggregate/aggregate_alias.sql ecbf093111c2
function service.aggregate_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/aggregate/aggregate_answer.sql 0ab5a0d12b94
function service.aggregate_call(fn text, expression text, property properties) returns text: plpgsql, stable; sql/compile/aggregate/aggregate_call.sql e6c592eb9781
function service.aggregate_columns(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/aggregate/aggregate_columns.sql da08f3a2ba58
function service.aggregate_order(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/aggregate/aggregate_order.sql 067cf2793d75
function service.aggregate_property(collection text, field text, roles text[]) returns service.properties: plpgsql, stable; sql/compile/aggregate/aggregate_property.sql 3a6ce8b73bb3
function service.aggregate_value(collection text, aggregate jsonb, roles text[], OUT expression text, OUT sql_type text) returns record: plpgsql, stable; sql/compile/aggregate/aggregate_value.sql f8e0531efe64
function service.all_written(all_written boolean) returns boolean: plpgsql, volatile, for service_user; sql/write/all_written.sql 66c420fe7000
function service.allow_file(caller text[], request jsonb) returns jsonb: plpgsql, volatile, for service_user; sql/storage/weigh/allow_file.sql 250367e9585c
function service.allows_call(function text, request jsonb, params jsonb DEFAULT '{}'::jsonb) returns boolean: plpgsql, volatile, for service_user; sql/storage/weigh/allows_call.sql 254388350deb
function service.allows_row(collection text, id text, changes boolean) returns boolean: plpgsql, volatile, for service_user; sql/storage/weigh/allows_row.sql e364fa77e053
function service.allows_unruled(operation text) returns boolean: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/weigh/allows_unruled.sql b987f79ae605
function service.altered_policy(name text, on_table text, using_clause text, check_clause text) returns text: sql, immutable, parallel safe; sql/audit/altered_policy.sql 110b81bcefb9
function service.announce_account() returns trigger: plpgsql, volatile; sql/auth/account/announce_account.sql 0b4b39560f7e
function service.announce_change() returns trigger: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp; sql/realtime/changes/announce_change.sql c03a42caf1c1
function service.answer_challenge(uid text, challenge_id text, time_step bigint, recovery_code bytea) returns boolean: plpgsql, volatile; sql/auth/factors/answer_challenge.sql 9674a1d0ee48
function service.answered(request jsonb) returns json: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/idempotency/answered.sql 1d33b6c2a002
function service.api_key(id text) returns json: plpgsql, stable; sql/auth/keys/api_key.sql 8f595e6c122c
function service.api_key_json(key api_keys) returns json: sql, stable; sql/auth/keys/api_key_json.sql df3a83f6a615
function service.api_key_standing(key_hash bytea) returns jsonb: plpgsql, stable; sql/auth/keys/api_key_standing.sql 546f3acb3821
function service.are_comparable(one text, other text) returns boolean: sql, immutable, parallel safe; sql/collections/declared/are_comparable.sql 22036fb00185
function service.array_value(expression text, sql_type text) returns text: plpgsql, stable; sql/compile/row/array_value.sql 57631f386457
function service.as_uuid(given text) returns uuid: sql, immutable, parallel safe; sql/auth/account/as_uuid.sql 1f9f2bf4bdab
function service.ask_changes(reader uuid, relations oid[], keyed boolean[]) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/ask_changes.sql 00a64fd68f1c
function service.asked_conflict(body jsonb, details jsonb) returns jsonb: plpgsql, stable; sql/write/batch/asked_conflict.sql c79deaa056df
function service.at_row(request jsonb, collection text) returns jsonb: sql, immutable, parallel safe, for service_user; sql/write/links/at_row.sql d41aefee567c
function service.attach_row(request jsonb, attach jsonb, id text) returns void: plpgsql, volatile, for service_user; sql/write/links/attach_row.sql f5dae0052926
function service.audit(rest double precision DEFAULT 0) returns jsonb: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan; sql/audit/audit.sql 76bee73f430d
function service.audit_checks() returns TABLE(family text, id text, severity text, confidence text, title text, impact text): sql, immutable, parallel safe; sql/audit/audit_checks.sql 3f7a7250b22e
function service.audit_drift() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan; sql/audit/audit_drift.sql d46b635171de
function service.audit_excluded_schemas() returns TABLE(schema_name text, reason text): sql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audit_excluded_schemas.sql 20fa5c64e5e0
function service.audit_exposed_roles() returns TABLE(oid oid, name text): sql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audit_exposed_roles.sql 84757f37cf4a
function service.audit_extensions() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/audit/audit_extensions.sql 76efdeb0f58f
function service.audit_indexes() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/audit/audit_indexes.sql 0a39dbeea543
function service.audit_policies() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set enable_nestloop=off; sql/audit/audit_policies.sql afbfd681efa1
function service.audit_reach() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/audit/audit_reach.sql 8a2f1f46cc57
function service.audit_routines() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/audit/audit_routines.sql 7c599ec1e497
function service.audit_tables() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/audit/audit_tables.sql 3ad6f4985187
function service.audit_views() returns TABLE(id text, severity text, target jsonb, detail text, fix text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off set enable_nestloop=off; sql/audit/audit_views.sql 8f4ba81c6ae3
function service.audited_policies() returns TABLE(oid oid, relation oid, full_name text, kind "char", target jsonb, name text, operation "char", permissive boolean, roles oid[], applies boolean, readable boolean, writable boolean, using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audited_policies.sql 08b4e5074393
function service.audited_relations() returns TABLE(oid oid, schema_name text, name text, full_name text, kind "char", owner oid, target jsonb, collection text, managed boolean, readable boolean, writable boolean, protected boolean, forced boolean, options text[], acl aclitem[]): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/audit/audited_relations.sql 41a651b1495b
function service.base64url(bytes bytea) returns text: sql, immutable, parallel safe; sql/runtime/base64url.sql 20887cf476b0
function service.base_type(type oid) returns oid: plpgsql, stable; sql/catalog/base_type.sql 587c79a4032d
function service.batch(operations jsonb, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/batch.sql 1f3fba186861
function service.batch_requests(request jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/batch/batch_requests.sql 843696200b86
function service.before_login(email text, method text) returns void: sql, volatile; sql/auth/hooks/before_login.sql 1f38b350ce1a
function service.before_user_create(account users) returns service.users: plpgsql, volatile; sql/auth/hooks/before_user_create.sql a25eb431f79a
function service.begin_challenge(uid text, factor_id text, lifetime interval DEFAULT '00:05:00'::interval) returns json: plpgsql, volatile; sql/auth/factors/begin_challenge.sql 701b652fb6bf
function service.begin_email_change(uid text, session_id text, new_email text, token_hash bytea, lifetime interval, hides_accounts boolean DEFAULT false) returns json: plpgsql, volatile; sql/auth/proof/begin_email_change.sql 7a15becdb868
function service.begin_guest_link(uid text, session_id text, new_email text, password_hash text, token_hash bytea, lifetime interval) returns TABLE(email text, display_name text): plpgsql, volatile; sql/auth/proof/begin_guest_link.sql 9819b324501c
function service.begin_password_reset(uid text, rank jsonb DEFAULT 'null'::jsonb) returns json: plpgsql, volatile; sql/auth/manage/begin_password_reset.sql 30272b8ceeda
function service.begin_second_factor_session(uid text, challenge_id text, time_step bigint, recovery_code bytea, refresh_hash bytea, lifetime interval, user_agent text, ip_address text) returns json: sql, volatile; sql/auth/factors/begin_second_factor_session.sql f368f9c85f83
function service.begin_session(uid text, method text, refresh_hash bytea, lifetime interval, user_agent text, ip_address text, password_hash text DEFAULT NULL::text, aal text DEFAULT 'aal1'::text) returns json: plpgsql, volatile; sql/auth/sessions/begin_session.sql 085a704a530f
function service.beyond_rank(held_roles text[], rank jsonb) returns text[]: sql, stable; sql/auth/manage/beyond_rank.sql 958f0b4c3a46
function service.block_attributes(blocks jsonb, type text) returns jsonb: sql, immutable, parallel safe; sql/write/judge/block_attributes.sql f162037867f6
function service.block_problems(definition jsonb) returns TABLE(suffix text, problem text): plpgsql, stable; sql/collections/problems/block_problems.sql 51e13b01cab9
function service.body_violations(body jsonb, plan jsonb, doubtful jsonb, uid text) returns jsonb: plpgsql, stable; sql/write/judge/body_violations.sql 2728f059786b
function service.bootstrap_admin(uid text, production boolean) returns void: plpgsql, volatile; sql/auth/manage/bootstrap_admin.sql 7e3de5ed5c49
function service.bound(node jsonb, name text) returns bigint: sql, immutable, parallel safe; sql/compile/bound.sql db28edf1fc68
function service.bound_sizes(rules jsonb, kind text) returns jsonb: plpgsql, stable; sql/collections/problems/bound_sizes.sql 184e040a782c
function service.bounded_answer(body text, most bigint) returns text: sql, volatile, parallel safe, for service_user; sql/runtime/bounded_answer.sql 9a3312f9a3c6
function service.bounded_related(n bigint, most bigint, collection text, relation text) returns bigint: sql, volatile, parallel safe, for service_user; sql/runtime/bounded_related.sql e9bdb4753efb
function service.bounds_statement(served collections, operations jsonb, conditions text[]) returns text: plpgsql, stable; sql/write/plan/bounds_statement.sql ed39ae651c4a
function service.broadcast(channel text, event text, payload jsonb) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/broadcast.sql 3f2ee693eb37
function service.broadcast_frame(channel text, event text, payload json, seq bigint) returns text: sql, stable, parallel safe; sql/realtime/channels/broadcast_frame.sql 134954028c0b
function service.bulk_answer(served collections, shape jsonb, roles text[]) returns text: sql, stable; sql/write/plan/bulk_answer.sql 0539356e279e
function service.bulk_requests(request jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/batch/bulk_requests.sql 673da60a27b6
function service.bulk_statement(served collections, shape jsonb, plan jsonb, target text[], roles text[]) returns text: plpgsql, stable; sql/write/plan/bulk_statement.sql c7623ea28a8a
function service.bytes(base64 text, field text) returns bytea: plpgsql, immutable, parallel safe, for service_user; sql/runtime/bytes.sql fd40747768ea
function service.call_account_hook(hook text, arguments text[]) returns jsonb: plpgsql, volatile; sql/auth/hooks/call_account_hook.sql 88d9b76137d6
function service.callback_body(collection text, key text[], names text[], hook text, function_name text, soft_delete text) returns text: sql, immutable; sql/provision/triggers/callback_body.sql 075a70777851
function service.callback_changes(collections_before collections[]) returns TABLE(kind text, verdict text, collection text, property text, detail text, remedy text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/changes/callback_changes.sql d3934c4c4307
function service.callbacks(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, collection text, key text[], names text[], soft_delete text, hook text, suffix text, trigger_name text, events integer, function_schema text, function_name text, arguments text, result text, oid oid, fits boolean): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/triggers/callbacks.sql 8f72c9cd192c
function service.caller(claims jsonb) returns text[]: sql, immutable, parallel safe; sql/psql/caller.sql 2eea464910fa
function service.caller_function(function text, result regtype) returns TABLE(called text, problem text): plpgsql, stable, set jit=off; sql/catalog/caller_function.sql f54337878943
function service.caller_reads(relations oid[]) returns TABLE(relation oid, reads oid): sql, stable, set search_path=pg_catalog, pg_temp set enable_nestloop=off; sql/catalog/caller_reads.sql c7e935b35100
function service.camel_case(name text) returns text: sql, immutable, parallel safe; sql/catalog/camel_case.sql df395007acfc
function service.can_restrict() returns boolean: sql, stable; sql/provision/can_restrict.sql 86c13df39f7a
function service.cast_type(whole text) returns text: sql, immutable, parallel safe; sql/collections/columns/cast_type.sql 1e5aba293e77
function service.catalog_changes(collections_before collections[], properties_before properties[]) returns TABLE(kind text, verdict text, collection text, property text, detail text, remedy text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/changes/catalog_changes.sql 337bcd6ae58b
function service.catalog_document() returns json: sql, stable, set jit=off; sql/catalog/catalog_document.sql aba8908e42b2
function service.catalog_fingerprint(collections collections[], properties properties[], relations relations[]) returns text: sql, stable; sql/catalog/catalog_fingerprint.sql fe8969bb2b52
function service.challenged_factor(uid text, challenge_id text) returns TABLE(id uuid, sealed_secret bytea): sql, volatile; sql/auth/factors/challenged_factor.sql 5314c7d7fe56
function service.change(request jsonb, claims jsonb) returns json: plpgsql, volatile, set TimeZone=UTC set DateStyle=ISO, YMD set IntervalStyle=postgres set extra_float_digits=1 set jit=off; sql/psql/change.sql fa8363ec04fc
function service.change_flags_at(relation oid) returns integer: sql, immutable, parallel safe; sql/realtime/changes/change_flags_at.sql 4eefdfc897ef
function service.change_keys(relations oid[]) returns TABLE(relation oid, column_name text, type text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/change_keys.sql 5a7ffb280a5e
function service.change_password(uid text, verified_hash text, password_hash text) returns void: plpgsql, volatile; sql/auth/sessions/change_password.sql 303dc9240260
function service.change_sources() returns TABLE(collection text, joined text, relation oid, name text, key_column text, key_type text, kind "char", told boolean): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/change_sources.sql 68ae610fb298
function service.change_triggers() returns TABLE(trigger_name text, event text, tables text): sql, immutable, parallel safe; sql/realtime/changes/change_triggers.sql 5c304ae9b4c6
function service.channel_authorizer(function text) returns TABLE(statement text, problem text): plpgsql, stable, set jit=off; sql/realtime/channels/channel_authorizer.sql 40283485a800
function service.channel_history(channel text, since bigint, most integer) returns text: sql, stable, set jit=off; sql/realtime/channels/channel_history.sql c8b7a5d4d85c
function service.channel_notice(said_by text, VARIADIC fields text[]) returns text: sql, immutable, parallel safe; sql/realtime/channels/channel_notice.sql 639c392032a1
function service.channel_roster(channel text, besides uuid) returns TABLE(id text, state text): sql, stable; sql/realtime/channels/channel_roster.sql 4318b9367c86
function service.channel_rule(channel text) returns SETOF service.channel_rules: sql, stable; sql/realtime/channels/channel_rule.sql 18b5df94f1b4
function service.channel_seq(channel text) returns bigint: sql, stable; sql/realtime/channels/channel_seq.sql e4c587250ff0
function service.check_body(request jsonb, body jsonb, plan jsonb, doubtful jsonb, uid text) returns text[]: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/judge/check_body.sql de61bfa107a4
function service.check_names(collection text, shape jsonb, roles text[]) returns void: plpgsql, stable; sql/compile/names/check_names.sql 0aea646c04ba
function service.claim(name text) returns text: sql, stable, parallel safe, for service_user; sql/identity/claim.sql 192887f5e648
function service.claim_key(request jsonb) returns boolean: plpgsql, volatile, for service_user; sql/write/idempotency/claim_key.sql 1ef5ffcadfa0
function service.claim_upload(id text, asker text, token uuid) returns json: plpgsql, volatile; sql/storage/uploads/claim_upload.sql 2905c7360a27
function service.claimed_roles(claims jsonb) returns text[]: sql, immutable, parallel safe; sql/identity/claimed_roles.sql 13b16e3266f1
function service.closed_in(property properties, roles text[], act text) returns jsonb: sql, immutable; sql/compile/parts/closed_in.sql 6849df36a962
function service.closed_parts(attributes jsonb, roles text[], act text) returns jsonb: plpgsql, immutable; sql/compile/parts/closed_parts.sql 88cf0f21f129
function service.closed_sent(field text, value jsonb, closed jsonb) returns TABLE(path text, because text): plpgsql, immutable, for service_user; sql/write/judge/closed_sent.sql eb4e8a53aa4f
function service.collection_policies(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/collection_policies.sql b9ba8d3e3aee
function service.collection_problems(project jsonb) returns TABLE(path text, problem text, warning boolean): plpgsql, volatile, set standard_conforming_strings=on set jit=off; sql/collections/collection_problems.sql bb570010ea57
function service.collection_tenant(collection text, OUT field text, OUT column_name text, OUT type text, OUT bypass_roles text[], OUT tenants text, OUT single boolean) returns record: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/write/tenants/collection_tenant.sql b90c449da267
function service.column_clause(name text, type text, default_value text, identity boolean, not_null boolean) returns text: sql, immutable, parallel safe; sql/provision/wanted/column_clause.sql dc99ad322cd1
function service.column_list(alias text, columns text[]) returns text: sql, immutable, parallel safe; sql/compile/include/column_list.sql 1ec21b8a53bd
function service.column_names(relation oid, columns smallint[]) returns text[]: plpgsql, stable; sql/catalog/column_names.sql 8f8ae2e3604a
function service.column_of(definition jsonb, table_schema text, table_name text, column_name text, is_key boolean, OUT type text, OUT sql_type text, OUT not_null boolean, OUT required boolean, OUT excluded boolean, OUT read_roles text[], OUT write_roles text[], OUT attributes jsonb) returns record: plpgsql, stable; sql/collections/columns/column_of.sql d8c18bc06f7e
function service.column_pairs(left_alias text, left_columns text[], operators text[], right_alias text, right_columns text[]) returns text[]: sql, immutable, parallel safe; sql/compile/include/column_pairs.sql 53647fa0ee3c
function service.column_problems(definition jsonb, place text, is_key boolean, unfilled text DEFAULT NULL::text) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/column_problems.sql 5ba01785f1e5
function service.column_type(type oid, modifier integer) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/column_type.sql 6179bd7bdc58
function service.column_value(expression text, sql_type text) returns text: sql, stable; sql/compile/row/column_value.sql 60d808cf4f98
function service.commented_key(relation oid) returns smallint[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/commented_key.sql faad3731e34c
function service.comparison(expression text, property properties, condition jsonb) returns text: plpgsql, stable; sql/compile/filter/comparison.sql 3dd8ff07ddc5
function service.comparison_fault(comparison jsonb, collection text, checked_collection text) returns text: plpgsql, stable; sql/rules/comparison_fault.sql 6978a39a433c
function service.comparison_sql(comparison jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/comparison_sql.sql f480ca60244a
function service.comparison_type(comparison jsonb, collection text, checked_collection text) returns text: plpgsql, stable; sql/rules/comparison_type.sql 54698a36bb6c
function service.compile(shape jsonb, roles text[], OUT statement text, OUT lane text, OUT enter_first boolean, OUT revalidates boolean) returns record: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan; sql/compile/compile.sql e25055837b87
function service.composite(value jsonb, type anyelement, field text) returns anyelement: plpgsql, stable, parallel safe, for service_user; sql/runtime/composite.sql d1d82d113299
function service.composite_membership(relation relations, alias text, condition jsonb, positive text) returns text: plpgsql, stable; sql/compile/filter/composite_membership.sql fdca9bdb0324
function service.condition(collection text, alias text, field text, condition jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/condition.sql 589239c07d3b
function service.condition_nodes() returns TABLE(root text, path text, kind text, node jsonb, depth integer, collection text, checked_collection text): plpgsql, stable; sql/rules/condition_nodes.sql 75dbc1046aea
function service.condition_problems() returns TABLE(path text, problem text): plpgsql, volatile; sql/rules/condition_problems.sql d4b9f30c1edc
function service.condition_sql(condition jsonb, collection text, alias text, checked_collection text DEFAULT NULL::text, checked_alias text DEFAULT NULL::text) returns text: plpgsql, stable; sql/rules/condition_sql.sql 233ff65a815d
function service.confirm_email(token_hash bytea, session_uid text, has_password boolean, removes_unproven boolean, unlinks boolean DEFAULT true) returns json: plpgsql, volatile; sql/auth/proof/confirm_email.sql cc75892283f6
function service.confirm_email_change(token_hash bytea, session_uid text, unlinks boolean DEFAULT true) returns json: plpgsql, volatile; sql/auth/proof/confirm_email_change.sql 8b60ab45b061
function service.conflict_clause(served collections, sent text[], target text[], roles text[]) returns text: plpgsql, stable; sql/write/plan/conflict_clause.sql d879f32bd8bf
function service.conflict_columns(served collections, names jsonb, roles text[]) returns text[]: plpgsql, stable; sql/write/plan/conflict_columns.sql 5f659466ff5c
function service.conflict_targets(served collections, roles text[]) returns jsonb: sql, stable; sql/write/plan/conflict_targets.sql e19a9bf1aa8a
function service.conjunction(conditions text[]) returns text: plpgsql, immutable, parallel safe; sql/compile/conjunction.sql efb03a58f7a0
function service.constraint_violations(request jsonb, problem jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/judge/constraint_violations.sql 16e8a8f37241
function service.context_columns(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/statement/context_columns.sql 816746b01fc8
function service.contract() returns json: sql, stable, set jit=off; sql/catalog/contract/contract.sql 15f402fd5875
function service.contract_part(definition jsonb, slugs text[]) returns json: plpgsql, immutable, parallel safe; sql/catalog/contract/contract_part.sql 04b4f083ebae
function service.count(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/count.sql 52cf1f22cd98
function service.count_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/count_answer.sql e9b48a66a218
function service.create_account(email text, password_hash text, display_name text, roles text[], is_verified boolean DEFAULT false, uid text DEFAULT NULL::text, photo_url text DEFAULT NULL::text, metadata jsonb DEFAULT NULL::jsonb, is_guest boolean DEFAULT false) returns text: plpgsql, volatile; sql/auth/account/create_account.sql ed9db914e728
function service.create_api_key(name text, key_hash bytea, key_prefix text, scopes text[], created_by text, roles text[] DEFAULT '{}'::text[], rate_limit integer DEFAULT NULL::integer, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json: plpgsql, volatile; sql/auth/keys/create_api_key.sql b3bfeaab1523
function service.create_first_admin(email text, password_hash text) returns boolean: plpgsql, volatile; sql/auth/manage/create_first_admin.sql e21d7af96873
function service.create_guest(default_role text) returns text: sql, volatile; sql/auth/account/create_guest.sql 6f79bc9bf6d8
function service.create_managed_account(email text, password_hash text, display_name text, photo_url text, metadata jsonb, roles text[], uid text DEFAULT NULL::text, rank jsonb DEFAULT 'null'::jsonb) returns json: plpgsql, volatile; sql/auth/manage/create_managed_account.sql 01ae6d1bbab9
function service.create_many(collection text, rows jsonb, claims jsonb DEFAULT service_claims(), on_conflict jsonb DEFAULT NULL::jsonb) returns json: sql, volatile; sql/psql/create_many.sql fea2f007d920
function service.create_related(collection text, id text, relation text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/create_related.sql 658a8a72ba22
function service.create_upload(id uuid, owner text, creator jsonb, source text, bucket text, key text, content_type text, metadata text, length bigint, held jsonb) returns void: sql, volatile; sql/storage/uploads/create_upload.sql 3bd4f1f5da0c
function service.credentials(email text) returns TABLE(uid text, password_hash text, must_confirm boolean, may_remind boolean): plpgsql, volatile; sql/auth/sessions/credentials.sql 59eb45de3137
function service.current_history(collection text, entity text) returns SETOF service.history: sql, stable; sql/write/history/current_history.sql d5f6bc444af9
function service.cursor_branches(collection text, alias text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/order/cursor_branches.sql 413eafb2e8bf
function service.cursor_open(collection text, token text) returns text[]: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/runtime/cursor_open.sql c522380d29ca
function service.cursor_payload(token text) returns jsonb: plpgsql, immutable; sql/psql/hoist/cursor_payload.sql dba0a076d8d3
function service.cursor_seal(collection text, payload text) returns text: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/runtime/cursor_seal.sql e36b4482eff8
function service.custom_claims(account users, session sessions) returns jsonb: plpgsql, volatile; sql/auth/hooks/custom_claims.sql 81ae9b4ee963
function service.declared_collections(project jsonb) returns SETOF service.collections: sql, stable; sql/collections/declared/declared_collections.sql 3e3254238199
function service.declared_columns() returns SETOF service.properties: sql, stable; sql/collections/columns/declared_columns.sql 424189254b79
function service.declared_files() returns TABLE(collection text, place integer, property text, storage jsonb, column_name text, sql_type text, json_path text): sql, stable; sql/storage/limits/declared_files.sql e0741228811f
function service.declared_index(collection text, definition jsonb) returns TABLE(name text, is_unique boolean, columns text[], body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/declared_index.sql 62efa761c92f
function service.declared_indexes() returns TABLE(collection text, path text, n bigint, index jsonb, columns text[]): sql, stable; sql/collections/declared/declared_indexes.sql abe2b9e8a4e6
function service.declared_inverses() returns TABLE(collection text, name text, "position" integer, path text, kind text, target text, relation jsonb, column_name text, source_column text): sql, stable; sql/collections/declared/declared_inverses.sql 51342631b0d7
function service.declared_junctions() returns TABLE(collection text, name text, "position" integer, path text, target text, relation jsonb, junction_schema text, junction_table text, source_column text, target_column text): sql, stable; sql/collections/declared/declared_junctions.sql 6c74c343e480
function service.declared_links() returns TABLE(collection text, name text, "position" integer, path text, property_path text, target text, column_name text, property jsonb, validation jsonb, is_key boolean): sql, stable; sql/collections/declared/declared_links.sql 92753aa727a2
function service.declared_parts(properties jsonb) returns jsonb: plpgsql, stable; sql/collections/columns/declared_parts.sql 20c3ef367032
function service.declared_pivot(through jsonb, junction_schema text, junction_table text) returns jsonb: sql, stable; sql/collections/columns/declared_pivot.sql 0d9eb628b727
function service.declared_properties() returns TABLE(collection text, name text, "position" integer, path text, definition jsonb, kind text, leads boolean, broken boolean): sql, stable; sql/collections/declared/declared_properties.sql e4d97d508aa5
function service.declared_relations() returns TABLE(collection text, name text, "position" integer, path text, property_path text, kind text, target text, relation jsonb, property jsonb, validation jsonb, is_key boolean): plpgsql, stable; sql/collections/declared/declared_relations.sql 2ff477b4cb7b
function service.declared_rules(field text, type text, attributes jsonb) returns TABLE(code text, bound text, message text): plpgsql, stable; sql/write/judge/declared_rules.sql 384fd73fa186
function service.declared_steps() returns TABLE(collection text, name text, path text, target text, relation jsonb, n integer, steps integer, named text, schema_name text, table_name text, "from" text[], "to" text[], known text[], known_before text[], table_before text): sql, stable; sql/collections/declared/declared_steps.sql b13f8c110f0f
function service.default_clause(definition jsonb, is_key boolean, sql_type text) returns text: plpgsql, stable; sql/collections/columns/default_clause.sql e6c1d0835c0a
function service.default_expression(table_name text, column_name text) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/default_expression.sql d79534fc6729
function service.default_fault(expression text, type text) returns text: plpgsql, volatile, set search_path=public, pg_temp; sql/collections/default_fault.sql 03e3f76dec8d
function service.default_problem(definition jsonb, sql_type text) returns text: plpgsql, stable; sql/collections/columns/default_problem.sql ddd1f63e5ddb
function service.default_rules() returns TABLE(suffix text, rule jsonb): sql, immutable, parallel safe; policies/default_rules.sql 635c689261da
function service.define_collection(definition jsonb) returns boolean: plpgsql, volatile, set jit=off; sql/collections/define/define_collection.sql 21c37a1c6730
function service.define_collections(project jsonb) returns boolean: plpgsql, volatile, set jit=off; sql/collections/define/define_collections.sql 3215d932af55
function service.definition_changes(collections_before collections[]) returns TABLE(kind text, verdict text, collection text, property text, detail text, remedy text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/changes/definition_changes.sql e1cc307b0bf2
function service.definition_problems(project jsonb) returns TABLE(path text, problem text, warning boolean): plpgsql, volatile; sql/collections/problems/definition_problems.sql b0b2d72a34b4
function service.delete_account(uid text, by_uid text, rank jsonb DEFAULT 'null'::jsonb) returns void: plpgsql, volatile; sql/auth/manage/delete_account.sql d5d403b7be8b
function service.delete_factors(uid text, factors uuid[] DEFAULT NULL::uuid[]) returns boolean: plpgsql, volatile; sql/auth/factors/delete_factors.sql 5cdcdd9ed2a7
function service.delete_statement(served collections, stamp text, conditions text[], source text DEFAULT NULL::text, answer text DEFAULT ''''''::text) returns text: sql, stable; sql/write/plan/delete_statement.sql 8238d0250e6e
function service.deletion_stamp(collection text) returns text: plpgsql, stable; sql/compile/names/deletion_stamp.sql f4dbc3dad66e
function service.dependents() returns TABLE(kind text, name text, definition text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/dependents.sql 2262aa5580b4
function service.difference(served collections, was text, became text) returns text: sql, stable; sql/write/history/difference.sql 6979c6005295
function service.disagreeing_fields(body jsonb, plan jsonb) returns TABLE(field text, message text): plpgsql, stable; sql/write/judge/disagreeing_fields.sql 077b39731c38
function service.distance_columns(collection text, alias text, shape jsonb, roles text[]) returns text[]: sql, stable; sql/compile/vector/distance_columns.sql 34fac01d1b1a
function service.distinct_properties(collection text, shape jsonb) returns SETOF service.properties: plpgsql, stable; sql/compile/row/distinct_properties.sql 02dcfd8a1c7b
function service.doubtful_fields(body jsonb, plan jsonb) returns jsonb: plpgsql, stable, for service_user; sql/write/judge/doubtful_fields.sql 3347c7c02cd4
function service.end_all_sessions(uid text) returns void: sql, volatile; sql/auth/sessions/end_all_sessions.sql 05fe0202754b
function service.end_other_sessions(uid text, session_id text) returns void: sql, volatile; sql/auth/sessions/end_other_sessions.sql ccd4b20a2baf
function service.end_session(uid text, session_id text) returns void: sql, volatile; sql/auth/sessions/end_session.sql 64111f976e96
function service.enqueue(task text, payload jsonb DEFAULT '{}'::jsonb, options jsonb DEFAULT '{}'::jsonb) returns uuid: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/jobs/enqueue.sql 744fd6d98e92
function service.enroll_factor(uid text, session_id text, friendly_name text, sealed_secret bytea, recovery_codes bytea[]) returns json: plpgsql, volatile; sql/auth/factors/enroll_factor.sql 5ed212745199
function service.enter(uid text, roles text DEFAULT ''::text, is_anonymous text DEFAULT 'false'::text, jwt text DEFAULT '{}'::text, request_claims text DEFAULT NULL::text) returns boolean: plpgsql, volatile, for service_user; sql/identity/enter.sql 2a2bdc4b5f86
function service.enter_channels(gateway uuid, channels text[], ids uuid[], states text[]) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/enter_channels.sql 1333bfc3ed79
function service.entered(shape jsonb) returns text: sql, immutable, parallel safe; sql/write/plan/entered.sql 4ffc5497a41b
function service.entity_id(served collections, alias text) returns text: sql, stable; sql/write/history/entity_id.sql ed21301a52b1
function service.enum_ids(definition jsonb) returns jsonb[]: plpgsql, immutable, parallel safe; sql/collections/declared/enum_ids.sql 2ed60352a6f8
function service.enum_problems(definition jsonb) returns TABLE(suffix text, problem text): plpgsql, stable; sql/collections/problems/enum_problems.sql 30b07cd59ae5
function service.enum_values(definition jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/enum_values.sql 6bf9e7f931e9
function service.epoch_text(moment timestamp with time zone) returns text: sql, immutable, parallel safe; sql/auth/sessions/epoch_text.sql eda50906a4bf
function service.equals(relation relations, local boolean) returns text[]: plpgsql, stable; sql/compile/include/equals.sql 2d5d4a4d20a8
function service.exists_condition(wanted boolean, source text, conditions text[]) returns text: plpgsql, immutable; sql/compile/filter/exists_condition.sql 6108c3acfa23
function service.exists_sql(condition jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/exists_sql.sql 1c5feede1543
function service.expired_upload(token uuid) returns json: plpgsql, volatile; sql/storage/uploads/expired_upload.sql 1f88217b9eab
function service.explain(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_claims()) returns SETOF text: plpgsql, volatile; sql/psql/explain.sql e19c521d2f7e
function service.exposed_revoke(privileges text, on_what text) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/audit/exposed_revoke.sql df3da217d718
function service.expression_fault(expression text) returns text: plpgsql, volatile, set standard_conforming_strings=on; sql/collections/expression_fault.sql 88e35fd686f3
function service.expression_problems() returns TABLE(path text, problem text): sql, volatile, set search_path=pg_catalog, pg_temp; sql/collections/expression_problems.sql 5c8b6a6dcb41
function service.extension_schema(name text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/extension_schema.sql af3109bbcca9
function service.factor_json(factor mfa_factors) returns jsonb: sql, immutable; sql/auth/factors/factor_json.sql 7e3f68bcc733
function service.factors_of(uid text) returns jsonb: sql, stable; sql/auth/factors/factors_of.sql af5653eda76d
function service.fail(status integer, code text, message text, details jsonb DEFAULT NULL::jsonb) returns text: plpgsql, volatile, parallel safe, for service_user; sql/runtime/fail.sql eea018731a26
function service.fast_path(served collections, shape jsonb, plan jsonb, target text[], roles text[]) returns text: plpgsql, stable; sql/write/plan/fast_path.sql a6854139fb79
function service.field_column(collection text, field text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/field_column.sql 94e74e260e5d
function service.field_type(collection text, field text) returns text: plpgsql, stable; sql/rules/field_type.sql ad5a99c2d842
function service.file_destination(storage jsonb, id text DEFAULT NULL::text) returns text: sql, immutable, parallel safe; sql/storage/limits/file_destination.sql a3609fa10c09
function service.file_refusal(held storage_properties, request jsonb) returns jsonb: sql, stable; sql/storage/limits/file_refusal.sql 85f3e82b7ecd
function service.file_row(collection text, id text, changes boolean) returns text: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/weigh/file_row.sql 059994ee2980
function service.file_rules(operation text, key text, OUT authorizer text, OUT is_open boolean, OUT has_policies boolean, OUT policies jsonb) returns record: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/weigh/file_rules.sql 79d7d41870d2
function service.file_spellings(key text, buckets text[]) returns text[]: sql, immutable, parallel safe; sql/storage/cleanup/file_spellings.sql 9cfd26474ed7
function service.file_statements(slug text) returns service.storage_rows: plpgsql, stable, set jit=off; sql/storage/weigh/file_statements.sql a15241a956ed
function service.file_triggers(event text, key text) returns TABLE(place integer, handler text, params jsonb): sql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/triggers/file_triggers.sql 1a906d88cf06
function service.file_user() returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/weigh/file_user.sql f422118bf09c
function service.files_id(collection text, row_name text) returns text: sql, stable; sql/storage/cleanup/files_id.sql d4dcb6a51de7
function service.fill(template text, VARIADIC parts text[]) returns text: plpgsql, immutable, parallel safe; sql/compile/fill.sql 9aa60fd95abb
function service.filled_map(sent text, attributes jsonb) returns text: plpgsql, immutable, parallel safe; sql/write/plan/filled_map.sql 26e449a6a3c4
function service.filter_conditions(collection text, alias text, node jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/filter/filter_conditions.sql 629a4fc082fb
function service.filterable(property properties, roles text[]) returns boolean: sql, immutable; sql/compile/names/filterable.sql bcbc34dcbffe
function service.filterable_fields(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/names/filterable_fields.sql 680db54cc7d9
function service.find_column(collection text, column_name text) returns service.properties: plpgsql, stable; sql/compile/names/find_column.sql aee166fcac91
function service.find_property(collection text, field text) returns service.properties: plpgsql, stable; sql/compile/names/find_property.sql 566894eda9e6
function service.find_relation(collection text, relation text) returns service.relations: plpgsql, stable; sql/compile/names/find_relation.sql e50a250f6151
function service.find_user(email text) returns json: sql, stable; sql/auth/account/find_user.sql 4e4385f8be64
function service.fingerprint(lines text[]) returns text: sql, immutable, parallel safe; sql/catalog/fingerprint.sql 6520d440974b
function service.finish_upload(id uuid) returns boolean: sql, volatile; sql/storage/uploads/finish_upload.sql d19ffda6112e
function service.fit_conditions(sent text, sent_text text, type text, sql_type text, is_part boolean) returns text[]: sql, immutable; sql/write/plan/fit_conditions.sql 99fd58d46fa3
function service.fits_type(value jsonb, type text, sql_type text) returns boolean: sql, immutable, parallel safe, for service_user; sql/write/judge/fits_type.sql a91235bf74ce
function service.forget_rate_limits(before bigint) returns void: sql, volatile; sql/limits/forget_rate_limits.sql 061050f3a703
function service.from_base64url(text text) returns bytea: sql, immutable, parallel safe; sql/runtime/from_base64url.sql ab5e5507bdd9
function service.get(collection text, id text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/get.sql 22ffd1222cac
function service.get_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/get_answer.sql a10a68dc7940
function service.grant_served() returns SETOF text: plpgsql, volatile, set jit=off set lock_timeout=500ms; sql/catalog/grant_served.sql ccce4c3ba23f
function service.group_columns(collection text, shape jsonb, roles text[], shown boolean) returns text[]: plpgsql, stable; sql/compile/aggregate/group_columns.sql 1a3af562ded3
function service.guarded_account(uid text, session_id text) returns service.users: plpgsql, volatile; sql/auth/factors/guarded_account.sql 7f948bbbbfdb
function service.has_blank_key(op text, body jsonb, sent_key jsonb) returns boolean: plpgsql, immutable, for service_user; sql/write/judge/has_blank_key.sql 230f62b8b264
function service.has_blank_target(request jsonb) returns boolean: sql, stable; sql/write/judge/has_blank_target.sql b4854f9c9dbe
function service.has_data_apart(item jsonb) returns boolean: sql, immutable, parallel safe, for service_user; sql/write/batch/has_data_apart.sql 956d309d2d50
function service.has_operator(sql_type text, operator text) returns boolean: plpgsql, stable; sql/compile/filter/has_operator.sql c872dffd287f
function service.has_people() returns boolean: sql, stable; sql/auth/account/has_people.sql 749c3e6cc11a
function service.has_refs(value jsonb) returns boolean: sql, immutable, parallel safe, for service_user; sql/write/batch/has_refs.sql 5264e61abc66
function service.has_rows(relation oid) returns boolean: plpgsql, stable; sql/provision/has_rows.sql 7281c48e880f
function service.has_second_factor(uid text) returns boolean: sql, stable; sql/auth/factors/has_second_factor.sql b08d98693f67
function service.has_unique_items(list jsonb) returns boolean: plpgsql, immutable, parallel safe, for service_user; sql/write/judge/has_unique_items.sql 52dd20f0781d
function service.has_unproven(account users) returns boolean: sql, stable; sql/auth/proof/has_unproven.sql 31ae2811c2c7
function service.hides_rows(relation oid) returns boolean: sql, stable, set search_path=pg_catalog, pg_temp; sql/search/hides_rows.sql 63ce1a361d9b
function service.history_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/history_answer.sql 1f7c6967af9d
function service.history_body(served collections, soft_delete text) returns text: sql, stable; sql/provision/triggers/history_body.sql 05eeaf7f3a0d
function service.history_columns(served collections) returns SETOF service.properties: plpgsql, stable; sql/write/history/history_columns.sql 20204683f797
function service.history_entry(collection text, entity text, id text) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/history/history_entry.sql c6cac3d5bb2d
function service.history_page(collection text, entity text, most bigint, skipped bigint, names text[], columns text[], texts text[], closed jsonb, OUT data text, OUT total bigint) returns record: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/history/history_page.sql 4e4990860391
function service.history_place(collection text, entity text, stamp text, was jsonb, became jsonb, newest integer) returns integer: plpgsql, volatile; sql/write/history/history_place.sql 7154393cfa0f
function service.hoist(request json, OUT shape jsonb, OUT parameters text[]) returns record: plpgsql, stable; sql/psql/hoist/hoist.sql c8505faf2792
function service.hoist_condition(field text, condition json, INOUT parameters text[], OUT hoisted jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_condition.sql 7e7a7f910274
function service.hoist_field(field text, INOUT parameters text[], OUT hoisted text) returns record: plpgsql, stable; sql/psql/hoist/hoist_field.sql fdb9402f53e1
function service.hoist_logical(logical json, INOUT parameters text[], OUT node jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_logical.sql 4edb72394021
function service.hoist_node(request json, nested boolean, INOUT parameters text[], OUT node jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_node.sql e9a28fe189bf
function service.hoist_path(segments json, INOUT parameters text[], OUT path jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_path.sql 9397e5378983
function service.hoist_search(request json, INOUT parameters text[], OUT node jsonb) returns record: plpgsql, immutable; sql/psql/hoist/hoist_search.sql 86a4f24834e5
function service.holds_accounts(definition jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/holds_accounts.sql 5e4fefbd212a
function service.holds_elements(column_type text, elements jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/holds_elements.sql b34e06598215
function service.holds_job(job jobs, claim jsonb) returns boolean: sql, immutable; sql/jobs/holds_job.sql 17e032521e84
function service.hook_account(account users) returns jsonb: sql, stable; sql/auth/hooks/hook_account.sql daefbdde332d
function service.hooks() returns TABLE(hook text, suffix text, trigger_name text, events integer, arguments text, result text): sql, immutable, parallel safe; sql/provision/triggers/hooks.sql eb10b1daefc3
function service.humanize(name text) returns text: sql, immutable, parallel safe; sql/catalog/humanize.sql 259383544d5d
function service.id_parts(id text) returns text[]: plpgsql, immutable, parallel safe, for service_user; sql/runtime/id_parts.sql ab358188a11e
function service.id_problem(collection text, field text) returns text: plpgsql, stable; sql/collections/problems/id_problem.sql dfb4eefb6f14
function service.include(collection text, rows_name text, node jsonb, roles text[], OUT ctes text[], OUT joins text[], OUT columns text[]) returns record: plpgsql, stable; sql/compile/include/include.sql 25963c57dd1a
function service.include_relation(relation relations, parent_rows text, rows_name text, node jsonb, roles text[], OUT ctes text[], OUT rows_join text, OUT shown text) returns record: plpgsql, stable; sql/compile/include/include_relation.sql 4399ccde6147
function service.included_relations(collection text, node jsonb, roles text[]) returns TABLE(name text, options jsonb): plpgsql, stable; sql/compile/include/included_relations.sql 75bc59bb1e75
function service.included_rows(relation relations, parent_rows text, back text[], node jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/include/included_rows.sql e52a0eb92581
function service.indented(sql_text text, spaces integer) returns text: plpgsql, immutable, parallel safe; sql/compile/indented.sql c7a4f118dad5
function service.index_comparison(collection text, comparison jsonb) returns text: sql, stable, set search_path=pg_catalog, pg_temp; sql/provision/index_comparison.sql ad7f045463a9
function service.index_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/index_problems.sql 48b13265bdcc
function service.insert_statement(served collections, sent text[], body text, answer text, sources text[] DEFAULT '{}'::text[], conditions text[] DEFAULT '{}'::text[], conflict text DEFAULT NULL::text, sometimes text[] DEFAULT '{}'::text[], parent jsonb DEFAULT NULL::jsonb) returns text: plpgsql, stable; sql/write/plan/insert_statement.sql cb8fe9710557
function service.install(path text, text text) returns void: plpgsql, volatile
function service.introspect(schema text, unprotected text) returns TABLE(slug text, reason text, remedy text): plpgsql, volatile, set jit=off; sql/catalog/introspect.sql 772ed396a072
function service.introspected_collections(tables introspected_table[], properties properties[]) returns SETOF service.collections: sql, stable, set search_path=pg_catalog, pg_temp set enable_nestloop=off; sql/catalog/introspected_collections.sql 70bf9cafdd07
function service.introspected_definition(described collections) returns jsonb: sql, stable; sql/catalog/contract/introspected_definition.sql 62d60644a2dd
function service.introspected_properties(tables introspected_table[]) returns SETOF service.properties: sql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/introspected_properties.sql af3f97a868f7
function service.introspected_relations(tables introspected_table[], properties properties[]) returns SETOF service.relations: sql, stable, set search_path=pg_catalog, pg_temp set enable_nestloop=off; sql/catalog/introspected_relations.sql c481bb6657c2
function service.introspected_tables(schema text, unprotected text) returns SETOF service.introspected_table: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/introspected_tables.sql a1389a993863
function service.is_anonymous() returns boolean: sql, stable, parallel safe, for service_user; sql/identity/is_anonymous.sql 7e6c0200a64b
function service.is_broken(collection text, property text) returns boolean: sql, stable; sql/collections/problems/is_broken.sql afdf6b7ae17d
function service.is_comparable_value(comparison jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/is_comparable_value.sql 43015b7f2137
function service.is_composite(sql_type text) returns boolean: plpgsql, stable, for service_user; sql/catalog/is_composite.sql c69758f85e86
function service.is_computed(attributes jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/columns/is_computed.sql 0d1f69d9570b
function service.is_current(token one_time_tokens, account users) returns boolean: sql, stable; sql/auth/proof/is_current.sql a97dac17421f
function service.is_declared_key(definition jsonb) returns boolean: sql, immutable, parallel safe; sql/collections/declared/is_declared_key.sql 32561060ed9f
function service.is_default(value jsonb, kind text, sql_type text) returns boolean: plpgsql, stable; sql/collections/columns/is_default.sql 370d1a359458
function service.is_defined(project jsonb) returns boolean: sql, stable; sql/collections/define/is_defined.sql cff74e5ad2fb
function service.is_identity(definition jsonb, is_key boolean) returns boolean: sql, immutable, parallel safe; sql/collections/columns/is_identity.sql b44f17d09dfc
function service.is_label(value text, type regtype) returns boolean: sql, stable, parallel safe, for service_user; sql/rules/is_label.sql a5d59ffc99fc
function service.is_list_of_names(value jsonb) returns boolean: sql, immutable, parallel safe; sql/write/batch/is_list_of_names.sql 451df5549918
function service.is_open(listed text[], roles text[]) returns boolean: sql, immutable, parallel safe; sql/compile/names/is_open.sql ac84c625e47e
function service.is_plain(served collections, shape jsonb, plan jsonb) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/is_plain.sql bdaf5007bf8f
function service.is_plain_key(key text) returns boolean: sql, immutable, parallel safe; sql/storage/cleanup/is_plain_key.sql 2908bf180f14
function service.is_ranked(collection text, shape jsonb) returns boolean: sql, stable; sql/search/is_ranked.sql ddebb7cc7ae6
function service.is_readable_date(text text, sql_type text) returns boolean: plpgsql, stable; sql/write/judge/is_readable_date.sql 5fb47c55dc56
function service.is_readable_id(id text, key_types jsonb) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp, for service_user; sql/write/judge/is_readable_id.sql cb8929456cb1
function service.is_released(source text, key text, buckets text[]) returns boolean: sql, stable; sql/storage/cleanup/is_released.sql 2a3c01460ce6
function service.is_required(served collections, property properties) returns boolean: sql, immutable; sql/write/judge/is_required.sql f8835e0326db
function service.is_route(relation text) returns boolean: sql, immutable, parallel safe; sql/collections/names/is_route.sql cf07bea9d2c4
function service.is_sortable(sql_type text) returns boolean: plpgsql, stable; sql/compile/order/is_sortable.sql f29bbf1ce78c
function service.is_system_column(name text) returns boolean: sql, immutable, parallel safe; sql/collections/names/is_system_column.sql 9b0d8d278790
function service.is_value(value text, type regtype) returns boolean: sql, stable, parallel safe, for service_user; sql/rules/is_value.sql dc836d60a549
function service.iso_time(moment timestamp with time zone) returns text: sql, stable, parallel safe; sql/auth/account/iso_time.sql f2dca60139b2
function service.issue_token(uid text, purpose text, token_hash bytea, lifetime interval, new_address text DEFAULT NULL::text, password_hash text DEFAULT NULL::text, session_id text DEFAULT NULL::text) returns TABLE(email text, display_name text): plpgsql, volatile; sql/auth/proof/issue_token.sql 9aeca1dbd235
function service.item_expression(sent text, type text, template text) returns text: sql, immutable, parallel safe; sql/write/plan/item_expression.sql e8c459d49503
function service.job_claim(most integer, worker_id text, tasks text[]) returns SETOF service.jobs: sql, volatile; sql/jobs/job_claim.sql 9636519b6929
function service.job_complete(id uuid, claim jsonb) returns boolean: sql, volatile; sql/jobs/job_complete.sql 762af0862fd5
function service.job_fail(id uuid, error text, retry_at timestamp with time zone, claim jsonb) returns boolean: sql, volatile; sql/jobs/job_fail.sql 773ad846127e
function service.job_heartbeat(id uuid, claim jsonb) returns boolean: sql, volatile; sql/jobs/job_heartbeat.sql ab14867f4933
function service.job_reap(ms bigint) returns integer: sql, volatile; sql/jobs/job_reap.sql f64ae55d0f14
function service.job_retry(id uuid) returns boolean: sql, volatile; sql/jobs/job_retry.sql 5c05ab0f1c34
function service.job_sweep(succeeded interval DEFAULT '3 days'::interval, failed interval DEFAULT '30 days'::interval) returns integer: sql, volatile; sql/jobs/job_sweep.sql 9959ca4bfb2f
function service.join_equations(jointree jsonb) returns TABLE(relation integer, attnum smallint, operator oid, collated oid, known_first integer[]): plpgsql, immutable, set search_path=pg_catalog, pg_temp; sql/catalog/join_equations.sql 0bda7237a1ca
function service.join_parts(jointree jsonb) returns TABLE(node jsonb, known_first integer[]): plpgsql, immutable, set search_path=pg_catalog, pg_temp; sql/catalog/join_parts.sql 445a77caf95f
function service.joined_conditions(condition jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/joined_conditions.sql e806a39d2ed3
function service.json_comparison(expression text, property properties, path text[], condition jsonb) returns text: plpgsql, stable; sql/compile/filter/json_comparison.sql a6cae84b7e60
function service.json_path(expression text, path text[]) returns text: plpgsql, immutable, parallel safe; sql/compile/filter/json_path.sql 5cc4d591386e
function service.judge_one(single jsonb, shape jsonb, INOUT plan jsonb, OUT moved text[]) returns record: plpgsql, stable, for service_user; sql/write/batch/judge_one.sql 86cf704cd1eb
function service.judge_write(request jsonb, plan jsonb) returns text[]: plpgsql, stable, for service_user; sql/write/judge/judge_write.sql a428141d9457
function service.judged_body(body jsonb, operations jsonb) returns jsonb: plpgsql, immutable, for service_user; sql/write/judge/judged_body.sql 94752cb0d0b5
function service.judged_fields(served collections, op text, sent text[], operations jsonb, roles text[]) returns jsonb: plpgsql, stable; sql/write/judge/judged_fields.sql b99cd174c16e
function service.junction_name(relation relations) returns text: sql, stable; sql/compile/names/junction_name.sql 3f0dec5d1149
function service.junction_policies(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/junction_policies.sql 6d271bcf6d8e
function service.junction_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/junction_problems.sql ae9343f13705
function service.junctions(schema text) returns SETOF oid: sql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/junctions.sql 4a26504934af
function service.jwt() returns jsonb: sql, stable, parallel safe, for service_user; sql/identity/jwt.sql 8be2a43e1968
function service.keep_account(account users) returns void: plpgsql, volatile; sql/auth/account/keep_account.sql 90f1509350f7
function service.keep_answer(request jsonb, answer json) returns json: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/idempotency/keep_answer.sql 903386cd5ff8
function service.keep_asking(reader uuid, seen pg_snapshot, sockets integer, subscriptions integer) returns boolean: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/keep_asking.sql fe2390dcc745
function service.keep_broadcasts() returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/keep_broadcasts.sql 68f91afa5fff
function service.keep_file_statements() returns void: plpgsql, volatile; sql/storage/weigh/keep_file_statements.sql 81c674fe9af0
function service.keep_key(collection text, key text[], names text[], stored jsonb, changed jsonb) returns void: plpgsql, stable, for service_user; sql/provision/triggers/keep_key.sql e0b72b22099c
function service.keep_messages(channels text[], events text[], payloads text[], senders uuid[]) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/keep_messages.sql e58109abea73
function service.keep_tables(schema text, unprotected text, among oid[] DEFAULT NULL::oid[]) returns TABLE(slug text, reason text, remedy text): plpgsql, volatile, set jit=off; sql/catalog/keep_tables.sql 641112e6f9f4
function service.keep_upload(id uuid, token uuid, received bigint, held jsonb) returns boolean: sql, volatile; sql/storage/uploads/keep_upload.sql d27dcb16979b
function service.keeps_rule(type text, code text, value jsonb, text text, bound text) returns boolean: sql, stable, parallel safe, for service_user; sql/write/judge/keeps_rule.sql c5cd3fd0ae7d
function service.kept_answer(shape jsonb, answer text DEFAULT NULL::text) returns text: sql, immutable, parallel safe; sql/write/plan/kept_answer.sql f25555453a20
function service.kept_json(value jsonb) returns json: plpgsql, immutable, for service_user; sql/write/history/kept_json.sql b3f000168def
function service.kept_key_conditions(plan jsonb, body text, id text) returns text[]: sql, stable; sql/write/plan/kept_key_conditions.sql 15720a843123
function service.kept_parts(collection text, field text, sent jsonb, stored jsonb, closed jsonb, merges boolean DEFAULT false) returns jsonb: plpgsql, stable, for service_user; sql/write/plan/kept_parts.sql 948f28630920
function service.kept_settings(more text[] DEFAULT '{}'::text[]) returns jsonb: sql, stable; sql/psql/kept_settings.sql 606e5e1fafe9
function service.key_column(collection text) returns text: plpgsql, stable; sql/collections/declared/key_column.sql 245e9d715117
function service.key_column_for(name text) returns text: sql, immutable, parallel safe; sql/collections/names/key_column_for.sql 558000c61a9c
function service.key_columns(collection text) returns text[]: sql, stable; sql/write/links/key_columns.sql daa9e089fc22
function service.key_conditions(collection text, alias text, id text) returns text[]: plpgsql, stable; sql/compile/filter/key_conditions.sql aabcfe03b2da
function service.key_parameters(key text, pattern text, names text[]) returns jsonb: plpgsql, immutable; sql/storage/rules/key_parameters.sql 52b3df454fa6
function service.key_pattern(path text) returns TABLE(pattern text, names text[], problem text): plpgsql, immutable; sql/storage/rules/key_pattern.sql e57e8ed48224
function service.key_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/key_problems.sql 79d0df238fbb
function service.key_properties(collection text) returns SETOF service.properties: plpgsql, stable; sql/compile/names/key_properties.sql c8dd611bd7f9
function service.key_scopes() returns jsonb: sql, stable, parallel safe, for service_user; sql/identity/key_scopes.sql 7e0551f84ead
function service.key_types(collection text) returns jsonb: sql, stable; sql/write/links/key_types.sql 3616caf1436b
function service.known_type(type text) returns text: plpgsql, stable, parallel safe; sql/write/judge/known_type.sql 1264aba91301
function service.lane_path(schema text) returns text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/identity/lane_path.sql 5533c6babbb3
function service.large_broadcast(id bigint) returns text: sql, stable; sql/realtime/channels/large_broadcast.sql f508fde28614
function service.length_problem(name text, what text) returns text: sql, stable, parallel safe; sql/collections/names/length_problem.sql df3806389867
function service.link_conditions(relation relations) returns text[]: plpgsql, stable; sql/write/links/link_conditions.sql 649745f747e3
function service.link_guest(uid text, email text, password_hash text) returns void: plpgsql, volatile; sql/auth/account/link_guest.sql ca2d16d12e52
function service.link_pairs(relation relations, target_alias text, link_alias text, source_alias text) returns text[]: plpgsql, stable; sql/compile/include/link_pairs.sql ad5fe31820b4
function service.link_plan(relation relations, op text) returns jsonb: plpgsql, stable; sql/write/links/link_plan.sql 6ecadc4c516d
function service.link_plans(served collections, op text, sent text[], roles text[]) returns jsonb: plpgsql, stable; sql/write/links/link_plans.sql 74058036f932
function service.link_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/link_problems.sql f8bd0a3bb37b
function service.link_properties(relation relations) returns SETOF service.properties: plpgsql, stable; sql/compile/names/link_properties.sql a6ac95601cdf
function service.link_rows(relation relations, source text, listed text) returns text: plpgsql, stable; sql/write/links/link_rows.sql 256e8f8f76b3
function service.link_state(relation relations, rows text) returns text: plpgsql, stable; sql/write/links/link_state.sql 3f6799e55f84
function service.link_statement(relation relations, rows text) returns text: plpgsql, stable; sql/write/links/link_statement.sql 90448d8f9db0
function service.link_violations(body jsonb, links jsonb) returns TABLE(field text, code text, message text): plpgsql, stable; sql/write/links/link_violations.sql 59817db049e2
function service.linked_row(linked collections, alias text, columns text[], junction text, junction_columns text[]) returns text: sql, immutable, parallel safe; sql/rules/linked_row.sql d022914fc4cd
function service.linking_columns(relation relations) returns TABLE(schema_name text, table_name text, name text): sql, stable; sql/compile/names/linking_columns.sql f2f51eed8ee2
function service.list(collection text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/list.sql 4011460d2d86
function service.list_accounts(page_limit integer, page_offset bigint, search text DEFAULT NULL::text, role text DEFAULT NULL::text, order_by text DEFAULT 'createdAt'::text, descending boolean DEFAULT true) returns json: sql, stable, set jit=off; sql/auth/manage/list_accounts.sql 91f3862331a2
function service.list_answer(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/statement/list_answer.sql 88926180ac71
function service.list_api_keys() returns json: sql, stable, set jit=off; sql/auth/keys/list_api_keys.sql 8a020ebb0c9e
function service.list_history(collection text, id text, request json DEFAULT '{}'::json, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/list_history.sql 0ac3ba8c6805
function service.listed(value jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/listed.sql 3454a06af2ed
function service.listed_links(relation relations) returns text[]: plpgsql, stable; sql/write/links/listed_links.sql 7c46f7d3244e
function service.listed_text(list text[]) returns text: sql, immutable, parallel safe, for service_user; sql/search/listed_text.sql f3362e57d59a
function service.literal_fault(value jsonb, type text) returns text: plpgsql, stable; sql/rules/literal_fault.sql 0938ba753928
function service.literal_path(names text[]) returns text[]: sql, immutable, parallel safe; sql/compile/parts/literal_path.sql 188876fc6bd0
function service.literal_pattern(literal text) returns text: sql, immutable, parallel safe; sql/storage/rules/literal_pattern.sql c8ef5892bd9c
function service.live_conditions(collection text, alias text, deleted text DEFAULT NULL::text) returns text[]: plpgsql, stable; sql/compile/filter/live_conditions.sql 18ff645c5335
function service.lock_leases() returns void: sql, volatile; sql/realtime/changes/lock_leases.sql 703a0c37681d
function service.logical(collection text, alias text, node jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/logical.sql ce03e313ddd9
function service.login_role(name text, password text, settings jsonb, renew boolean DEFAULT false) returns void: plpgsql, volatile; sql/identity/login_role.sql b951b08851e8
function service.look_for_changes(reader uuid, seen pg_snapshot) returns TABLE(snapshot text, known boolean, changes json): plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off set enable_seqscan=off; sql/realtime/changes/look_for_changes.sql cb126859402e
function service.managed_account(uid text) returns json: plpgsql, stable; sql/auth/manage/managed_account.sql de810f07c0e4
function service.managed_account_json(account users) returns json: sql, stable; sql/auth/manage/managed_account_json.sql e6f255afd5f0
function service.many_answer(request jsonb, answers text[]) returns json: sql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/batch/many_answer.sql 90cb6ee153ae
function service.many_shape(request jsonb) returns jsonb: sql, stable, for service_user; sql/write/batch/many_shape.sql 91c7f262cdad
function service.mark_masks() returns void: sql, volatile; sql/collections/define/mark_masks.sql 279a875287ea
function service.mark_tenants() returns void: sql, volatile; sql/collections/define/mark_tenants.sql 8f4d8fe28199
function service.mask_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/mask_problems.sql da96b6179be1
function service.may_caller_delete_file(caller text[], file jsonb) returns boolean: plpgsql, volatile, for service_user; sql/storage/cleanup/may_caller_delete_file.sql 5a12b8f340d2
function service.may_delete_file(file jsonb) returns boolean: plpgsql, volatile, for service_user; sql/storage/cleanup/may_delete_file.sql 4f91a7c4c435
function service.may_register(open boolean, closed boolean, production boolean) returns boolean: plpgsql, stable; sql/auth/account/may_register.sql a7bf7b9e1376
function service.membership(relation relations, alias text, condition jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/membership.sql 29ba36554977
function service.memberships(membership jsonb) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/write/tenants/memberships.sql 18650d4abed3
function service.messages_since(channel text, since bigint) returns TABLE(seq bigint, sender uuid, frame text): sql, stable, set jit=off; sql/realtime/channels/messages_since.sql c279ce6a88dd
function service.missing_fields(served collections, sent text[]) returns jsonb: plpgsql, stable; sql/write/judge/missing_fields.sql 9ebabd77e7ee
function service.missing_grants() returns SETOF text: plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/missing_grants.sql 38d0a05af4ed
function service.moved_columns(relation relations) returns text[]: sql, stable; sql/write/links/moved_columns.sql 71b614f95b9a
function service.moved_fields(request jsonb, plan jsonb) returns text[]: plpgsql, stable; sql/write/judge/moved_fields.sql d4a1bae401b2
function service.name_list(names text[]) returns text: sql, immutable, parallel safe; sql/provision/name_list.sql 444d68e9a651
function service.name_parts(name text) returns text[]: plpgsql, immutable, set search_path=pg_catalog, pg_temp; sql/catalog/name_parts.sql 845292c41791
function service.name_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/name_problems.sql e9fd5f3e5bbe
function service.named_among(source text, spellings text[]) returns text[]: plpgsql, stable, set row_security=off set jit=off; sql/storage/cleanup/named_among.sql 052fcc0bfcd2
function service.named_column(collection text, name text) returns text: plpgsql, stable; sql/collections/declared/named_column.sql 05887dd171c2
function service.named_columns(stored jsonb, columns text[]) returns jsonb: sql, immutable, parallel safe; sql/write/history/named_columns.sql 84cfee2ef45b
function service.named_files(held storage_properties, row_name text) returns text: sql, immutable; sql/storage/cleanup/named_files.sql 96a13b81d8a8
function service.named_function(name text, arguments text[]) returns regprocedure: plpgsql, stable; sql/catalog/named_function.sql a1db695d9cff
function service.narrowing(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/filter/narrowing.sql d56d72860bb1
function service.native_array(elements jsonb) returns text: sql, immutable, parallel safe; sql/collections/columns/native_array.sql b6e0ade89e17
function service.needs_entering(statement text) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/compile/statement/needs_entering.sql 72d04d009c92
function service.nested_path(request jsonb) returns jsonb: sql, immutable, parallel safe; sql/write/links/nested_path.sql 4635f8fa6506
function service.nested_plan(served collections, shape jsonb, roles text[]) returns jsonb: plpgsql, stable; sql/write/links/nested_plan.sql 96dfb0bc2443
function service.new_parent(relation relations, rows text) returns jsonb: sql, immutable, parallel safe; sql/write/links/new_parent.sql d06e4dc4a292
function service.next_cursor(collection text, shape jsonb, roles text[], row_number text, page_size text) returns text: plpgsql, stable; sql/compile/order/next_cursor.sql fc8c24c1fd58
function service.node_tree(tree text) returns jsonb: plpgsql, immutable, parallel safe; sql/catalog/node_tree.sql 2ed65b8c2f63
function service.normal_email(email text) returns text: plpgsql, immutable, parallel safe; sql/auth/account/normal_email.sql 911ea0bcd445
function service.normal_rules(rules jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/normal_rules.sql 27fdc223af0e
function service.normal_search(search jsonb) returns jsonb: sql, immutable, parallel safe; sql/collections/declared/normal_search.sql b86242c65882
function service.normalized_text(text text, rules jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/write/judge/normalized_text.sql 18f207a52e65
function service.on_ddl() returns event_trigger: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp; sql/catalog/on_ddl.sql cfa10dd531b4
function service.one_or_all(names text[]) returns jsonb: sql, immutable, parallel safe; sql/catalog/contract/one_or_all.sql 06648a31de73
function service.open_block(item text, blocks jsonb, depth integer) returns text: sql, stable; sql/compile/parts/open_block.sql 1b2fc05166d3
function service.open_challenge(uid text, challenge_id text) returns service.mfa_challenges: plpgsql, volatile; sql/auth/factors/open_challenge.sql 4b0b3cb559c2
function service.open_expression(value text, closed jsonb, depth integer DEFAULT 1) returns text: plpgsql, immutable; sql/compile/parts/open_expression.sql 7d474598a89a
function service.open_parts(value jsonb, closed jsonb) returns jsonb: plpgsql, immutable, for service_user; sql/compile/parts/open_parts.sql 964f6b43d229
function service.open_tables(schema text) returns SETOF text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/open_tables.sql fd0580998978
function service.operand(field text, condition jsonb, OUT operator text, OUT symbol text, OUT template text, OUT families text[], OUT negated text, OUT takes text, OUT parameter integer, OUT list boolean) returns record: plpgsql, stable; sql/compile/filter/operand.sql e6e6e9f91edf
function service.operand_rules(rules jsonb, operation text) returns jsonb: plpgsql, immutable; sql/write/judge/operand_rules.sql 47d58401111d
function service.operand_sql(operand jsonb, type text, collection text, alias text, checked_collection text, checked_alias text) returns text: plpgsql, stable; sql/rules/operand_sql.sql 9b2ea9f74cfc
function service.operand_type(operand jsonb, collection text, checked_collection text) returns text: plpgsql, stable; sql/rules/operand_type.sql ea7d5abc3fe0
function service.operand_types(sql_type text) returns SETOF oid: sql, stable; sql/compile/filter/operand_types.sql bdfba655ad8d
function service.operation_bounds(served collections, operations jsonb) returns TABLE(field text, code text, message text, condition text): sql, stable; sql/write/plan/operation_bounds.sql 43bc2607e412
function service.operation_expression(field text, property properties, operation text, roles text[]) returns text: plpgsql, stable; sql/write/plan/operation_expression.sql 4f5dd162f07e
function service.operator_name(sql_type text, operator text) returns text: plpgsql, stable; sql/compile/filter/operator_name.sql 3df55d72627f
function service.operators() returns TABLE(operator text, symbol text, template text, families text[], negated text, takes text): sql, immutable, parallel safe; sql/compile/filter/operators.sql b583f16a52c2
function service.order_by(collection text, alias text, requested jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/order/order_by.sql e2c03ffa89f9
function service.order_keys(collection text, alias text, requested jsonb, roles text[]) returns TABLE(n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean): plpgsql, stable; sql/compile/order/order_keys.sql 9408ea48048f
function service.orphaned_files(source text, keys text[], buckets text[]) returns SETOF text: plpgsql, stable, set jit=off; sql/storage/cleanup/orphaned_files.sql 3aa764e0d552
function service.other_gateways(settings jsonb) returns TABLE(pid integer, address text, since timestamp with time zone, subjects text[]): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/operations/settings/other_gateways.sql 4cdc9d9966f3
function service.own_upload(id text, asker text) returns service.storage_uploads: plpgsql, stable; sql/storage/uploads/own_upload.sql 463699cb27bd
function service.page(collection text, shape jsonb, conditions text[], roles text[]) returns text: plpgsql, stable; sql/compile/statement/page.sql 58a306425d43
function service.page_columns(collection text, shape jsonb) returns text: plpgsql, stable; sql/compile/statement/page_columns.sql 8118544f8675
function service.page_order(collection text, shape jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/order/page_order.sql a70f62063379
function service.page_rows(collection text, shape jsonb, conditions text[], sorted text) returns text: plpgsql, stable; sql/compile/statement/page_rows.sql b49fe2e7945f
function service.page_source(rows text, further_ctes text[], OUT ctes text, OUT source text) returns record: plpgsql, immutable; sql/compile/statement/page_source.sql 06aec3ee2b9d
function service.parent_rows(path jsonb, id text, conditions text[] DEFAULT '{}'::text[]) returns text: plpgsql, stable; sql/compile/filter/parent_rows.sql a159ddf42a4a
function service.parent_state(relation relations, parents text) returns text: sql, immutable, parallel safe; sql/write/links/parent_state.sql 15f2f3e2fd7d
function service.part_attributes(definition jsonb) returns jsonb: plpgsql, stable; sql/collections/columns/part_attributes.sql 14bc1df62b63
function service.part_closed(attributes jsonb, roles text[], act text) returns text: sql, immutable, parallel safe; sql/compile/parts/part_closed.sql cc401cfb7f77
function service.part_conditions(sent text, type text, attributes jsonb) returns text[]: plpgsql, stable; sql/write/plan/part_conditions.sql c4f11e422b42
function service.part_problems(definition jsonb, place text, unfilled text) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/part_problems.sql 7e30535b915a
function service.password_of(uid text) returns text: sql, stable; sql/auth/sessions/password_of.sql a4fc7bdc99a5
function service.password_of_token(token_hash bytea) returns text: plpgsql, volatile; sql/auth/proof/password_of_token.sql 6f81571fa1a9
function service.path_base(field text) returns text: sql, immutable, parallel safe; sql/compile/filter/path_base.sql 17faef0e8014
function service.path_collection(path jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/names/path_collection.sql ae76d3888e2a
function service.path_conditions(path jsonb, alias text, id text DEFAULT '$%s'::text) returns text[]: plpgsql, stable; sql/compile/filter/path_conditions.sql 27a059ddbb5f
function service.path_fields(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/filter/path_fields.sql d0d25e368e72
function service.path_pivot(path jsonb, shape jsonb) returns text[]: plpgsql, stable; sql/compile/include/path_pivot.sql 06a90851cf89
function service.path_relation(path jsonb) returns service.relations: plpgsql, stable; sql/compile/names/path_relation.sql 2da98ea6ee64
function service.pattern(declared text) returns text: sql, immutable, parallel safe, for service_user; sql/write/judge/pattern.sql 4c6554345d6f
function service.pattern_fault(pattern text) returns text: plpgsql, stable; sql/collections/problems/pattern_fault.sql 0474a575aa4d
function service.pivot_columns(relation relations, prefix text) returns TABLE(n bigint, name text, column_name text, sql_type text, alias text): sql, immutable; sql/compile/include/pivot_columns.sql 0328e5be50b4
function service.pivot_properties(relation relations) returns SETOF service.properties: plpgsql, stable; sql/write/links/pivot_properties.sql 614e2ab43fe7
function service.pivot_statement(relation relations, rows text) returns text: plpgsql, stable; sql/write/links/pivot_statement.sql 3a91bd8b288e
function service.pivot_violations(path text, pivot jsonb, link jsonb) returns TABLE(field text, code text, message text): plpgsql, stable; sql/write/links/pivot_violations.sql e30065c6782a
function service.plain_clause(expression text) returns text: sql, immutable, parallel safe; sql/audit/plain_clause.sql 58fe970e631a
function service.plain_literal(text text) returns text: sql, immutable, parallel safe; sql/collections/columns/plain_literal.sql d696aa793671
function service.plan_callbacks(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_callbacks.sql 8d355679ee32
function service.plan_changes() returns TABLE(relation oid, name text, statement text, problem text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/plan_changes.sql b883ea1ec1f9
function service.plan_columns(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_columns.sql 57f88864e412
function service.plan_enums(wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_enums.sql 1c725b9bc198
function service.plan_foreign_keys(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_foreign_keys.sql eae5e6e81eae
function service.plan_grants(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_grants.sql ad28bf6714e1
function service.plan_indexes(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_indexes.sql 78fdfd571dcd
function service.plan_policies(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/plan_policies.sql 3c97a10be15d
function service.plan_project(project jsonb) returns jsonb: plpgsql, volatile, set standard_conforming_strings=on set jit=off; sql/collections/changes/plan_project.sql 7adb4f9e7e61
function service.plan_row_security(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_row_security.sql 784eeb5707b4
function service.plan_schemas(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_schemas.sql af6b564f52bf
function service.plan_search(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/plan_search.sql 8cc1e406dca2
function service.plan_silence() returns TABLE(name text, statement text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/plan_silence.sql 011e5dd57fc5
function service.plan_tables(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns SETOF service.provision_step: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/plan/plan_tables.sql a79cd8e0bc0c
function service.plurals() returns jsonb: sql, immutable, parallel safe; sql/catalog/plurals.sql 8b9d76e3eff9
function service.policies_sql() returns text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/rules/policies_sql.sql bbcf6f4ae6cd
function service.policy_state(policy oid) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/policy_state.sql f49c9524190f
function service.policy_statement(policy text, on_table text, clause text, meaning text, origin text, drops text) returns text: plpgsql, immutable, parallel safe; sql/rules/policy_statement.sql 5841d7ca08f2
function service.prepared_search(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/search/prepared_search.sql 8f883fe59c36
function service.presence_frame(channel text, leaves json) returns text: sql, stable, parallel safe; sql/realtime/channels/presence_frame.sql 7b6026b966d3
function service.project_origin(project jsonb) returns text: sql, stable; sql/collections/define/project_origin.sql dd54c517f4a1
function service.project_with(definition jsonb) returns jsonb: sql, stable; sql/collections/define/project_with.sql 6da596133aad
function service.property_column(collection text, name text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/collections/declared/property_column.sql 973a8e8bdad4
function service.property_kind(definition jsonb) returns text: sql, immutable, parallel safe; sql/collections/declared/property_kind.sql c9d42f1559d5
function service.property_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/property_problems.sql 1a32f5b84dbe
function service.property_type(type oid) returns text: sql, stable; sql/catalog/property_type.sql 9ecb0d51f2fb
function service.prove_address(uid text, keeps_password boolean DEFAULT false, keeps_identities boolean DEFAULT false, unlinks boolean DEFAULT true) returns boolean: plpgsql, volatile; sql/auth/proof/prove_address.sql 61c43b03269d
function service.prove_by_token(token_hash bytea, purpose text, unlinks boolean DEFAULT true) returns text: plpgsql, volatile; sql/auth/proof/prove_by_token.sql 0255bd7398eb
function service.provision(policies boolean DEFAULT true) returns SETOF service.provision_step: plpgsql, volatile, set search_path=public, pg_temp set standard_conforming_strings=on set jit=off; sql/provision/provision.sql 04070fab804d
function service.provision_plan() returns SETOF service.provision_step: plpgsql, stable, set jit=off; sql/provision/provision_plan.sql 7c6a03dfbf51
function service.prune_channels() returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/prune_channels.sql f7f93e1f52ad
function service.punycode(label text) returns text: plpgsql, immutable, parallel safe; sql/auth/account/punycode.sql 8e28b417810e
function service.punycode_digit(value integer) returns text: sql, immutable, parallel safe; sql/auth/account/punycode_digit.sql 14030264e45c
function service.put_job(task text, payload jsonb, options jsonb DEFAULT '{}'::jsonb) returns uuid: sql, volatile; sql/jobs/put_job.sql 662b7e0ad654
function service.put_release(file jsonb) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/cleanup/put_release.sql 90079fb7f03b
function service.ranked_conditions(block jsonb) returns text[]: sql, immutable; sql/search/ranked_conditions.sql fcc2db5c5030
function service.rate_limit(key text, most integer, at timestamp with time zone DEFAULT clock_timestamp(), OUT allowed boolean, OUT remaining integer, OUT retry_after integer) returns record: plpgsql, volatile, set search_path=pg_catalog, pg_temp; sql/limits/rate_limit.sql fbadd9f6390b
function service.reachable_account(email text) returns TABLE(uid text): sql, stable; sql/auth/proof/reachable_account.sql 37f1638f3bc4
function service.reached_by(alias text, columns text[], operators text[], parent_rows text, parent_columns text[]) returns text: sql, immutable, parallel safe; sql/compile/include/reached_by.sql 32f432016991
function service.reached_part(closed jsonb, path text[]) returns text: plpgsql, immutable; sql/compile/parts/reached_part.sql dbb90ca30ed9
function service.read_back(statement text, caller text[], key text) returns json: plpgsql, volatile, for service_user; sql/write/read_back.sql f83232146428
function service.read_beneath(relations oid[]) returns TABLE(root oid, relation oid, same boolean): sql, stable, set search_path=pg_catalog, pg_temp set jit=off set enable_nestloop=off; sql/realtime/changes/read_beneath.sql 18ad438dbb68
function service.readable(property properties, roles text[]) returns boolean: sql, immutable; sql/compile/names/readable.sql 26a6bdf02979
function service.readable_search(collection text, roles text[]) returns jsonb: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/readable_search.sql 0e2da1884369
function service.reading_roles(source text, definition jsonb) returns text[]: sql, immutable, parallel safe; sql/catalog/reading_roles.sql 5b080bab048f
function service.realtime_report() returns json: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/realtime_report.sql 2c9299f99c64
function service.record_change(collection text, key text, stamp text, was jsonb, became jsonb, difference jsonb DEFAULT NULL::jsonb) returns boolean: plpgsql, volatile, set plan_cache_mode=force_generic_plan set enable_seqscan=off; sql/write/history/record_change.sql 4f56b7f5ac84
function service.redeem_token(token_hash bytea, purposes text[]) returns service.one_time_tokens: plpgsql, volatile; sql/auth/proof/redeem_token.sql ce8da25c3a19
function service.redefine_collections(project jsonb) returns jsonb: plpgsql, volatile, set standard_conforming_strings=on set jit=off; sql/collections/define/redefine_collections.sql 65bd9186320f
function service.refresh_session(refresh_hash bytea, next_hash bytea, lifetime interval, reuse_window interval) returns json: plpgsql, volatile; sql/auth/sessions/refresh_session.sql 6f34367bc30e
function service.refuse_closed(collection text, body jsonb, doubtful jsonb) returns void: plpgsql, stable; sql/write/judge/refuse_closed.sql ccac5e3b4927
function service.refuse_excluded(collection text, fields text[]) returns void: plpgsql, stable; sql/write/judge/refuse_excluded.sql 5bf93c3a88f3
function service.refuse_operations(request jsonb, plan jsonb) returns void: plpgsql, stable; sql/write/judge/refuse_operations.sql 1e518df67705
function service.refuse_part(collection text, field text, roles text[]) returns void: plpgsql, stable; sql/compile/parts/refuse_part.sql 8406a1893364
function service.refuse_reading(property properties, message text, because text) returns void: plpgsql, stable; sql/compile/names/refuse_reading.sql 846ac06d3d39
function service.refuse_recursion() returns void: plpgsql, volatile, for service_user; sql/provision/triggers/refuse_recursion.sql 623cede8657e
function service.refuse_single_factor(account users) returns void: plpgsql, stable; sql/auth/factors/refuse_single_factor.sql 5f8f6e8c1c17
function service.refuse_stamp(collection text, field text) returns void: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/judge/refuse_stamp.sql 887703748322
function service.refuse_tenant(collection text, field text, code text) returns text: plpgsql, stable, for service_user; sql/write/tenants/refuse_tenant.sql 64b2df731525
function service.refuse_token(token_hash bytea, purposes text[]) returns void: plpgsql, stable; sql/auth/proof/refuse_token.sql 4be24ec03a47
function service.refuse_unaffected(request jsonb, current text, moved text[] DEFAULT NULL::text[]) returns void: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/judge/refuse_unaffected.sql 226dd4b2c299
function service.refuse_unwritable(collection text, fields text[], message text DEFAULT NULL::text) returns void: plpgsql, stable, for service_user; sql/write/judge/refuse_unwritable.sql 3713cad7e9af
function service.refuse_violations(collection text, violations jsonb) returns void: plpgsql, stable, for service_user; sql/write/judge/refuse_violations.sql c204765cd18f
function service.refused_columns(served collections, problem jsonb) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/judge/refused_columns.sql c645ef306305
function service.register(email text, password_hash text, display_name text, default_role text, open boolean, closed boolean, production boolean) returns text: plpgsql, volatile; sql/auth/account/register.sql 1dc080739cc9
function service.reject_callback(collection text, stage text, status integer, message text) returns void: plpgsql, volatile, for service_user; sql/provision/triggers/reject_callback.sql 18c80dc384c1
function service.related_condition(relation relations, alias text, field text, condition jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/filter/related_condition.sql 2baa1b93943e
function service.related_exists(wanted boolean, relation relations, alias text, target_alias text, conditions text[] DEFAULT '{}'::text[]) returns text: plpgsql, stable; sql/compile/filter/related_exists.sql 92a7fdf14a98
function service.relation_problems(unreadable text[]) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/relation_problems.sql e5fd908ff33a
function service.relation_source(relation relations, source_alias text, target_alias text, OUT source text, OUT conditions text[]) returns record: plpgsql, stable; sql/compile/include/relation_source.sql 234844d8ef6e
function service.release_body(slug text, releases text) returns text: sql, stable; sql/storage/cleanup/release_body.sql a4bc817182b5
function service.release_files(storage jsonb, id text, was text[], became text[] DEFAULT NULL::text[]) returns void: plpgsql, volatile, for service_user; sql/storage/cleanup/release_files.sql 3ec235229504
function service.release_files_unasked(storage jsonb, id text, was text[], became text[] DEFAULT NULL::text[]) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp; sql/storage/cleanup/release_files_unasked.sql 9a528ddda070
function service.release_upload(id uuid, token uuid, received bigint, held jsonb) returns boolean: sql, volatile; sql/storage/uploads/release_upload.sql 8eee7e1498e3
function service.released_files(storage jsonb, id text, was text[], became text[]) returns SETOF jsonb: sql, immutable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/cleanup/released_files.sql 8119de06483e
function service.reload() returns void: sql, volatile; sql/catalog/reload.sql 5f90332efc40
function service.remove(collection text, id text, claims jsonb DEFAULT service_claims(), hard boolean DEFAULT false) returns void: sql, volatile; sql/psql/remove.sql e055686ef4be
function service.remove_factor(uid text, session_id text, factor_id text) returns void: plpgsql, volatile; sql/auth/factors/remove_factor.sql 2d1e156b14f8
function service.remove_many(collection text, ids jsonb, claims jsonb DEFAULT service_claims(), hard boolean DEFAULT false) returns json: sql, volatile; sql/psql/remove_many.sql 6a03e4bbc122
function service.remove_related(collection text, id text, relation text, related_id text, claims jsonb DEFAULT service_claims(), hard boolean DEFAULT false) returns void: sql, volatile; sql/psql/remove_related.sql 35231ade5098
function service.remove_unproven_identities(uid text, address text, unlinks boolean DEFAULT true) returns text[]: plpgsql, volatile; sql/auth/proof/remove_unproven_identities.sql d5bc1bd99520
function service.remove_upload(id uuid, token uuid) returns boolean: sql, volatile; sql/storage/uploads/remove_upload.sql 09197f235ad4
function service.replacement(field text, sent text, property properties, roles text[]) returns text: plpgsql, stable; sql/write/plan/replacement.sql 444bdd12ca9b
function service.request_claims(uid text, roles text, is_anonymous text, jwt text) returns text: sql, immutable, parallel safe, for service_user; sql/identity/request_claims.sql 3924569cd2c6
function service.request_hash(request jsonb) returns bytea: sql, immutable, parallel safe; sql/write/idempotency/request_hash.sql 3c92d6a85b73
function service.require_accounts(relation regclass, key_column text) returns void: plpgsql, stable; sql/provision/require_accounts.sql 2d40d4ffd843
function service.require_aggregate_names(collection text, shape jsonb) returns void: plpgsql, stable; sql/compile/aggregate/require_aggregate_names.sql 1c0209766b80
function service.require_at_most(count bigint, most bigint, code text, collection text DEFAULT NULL::text) returns void: plpgsql, stable; sql/write/batch/require_at_most.sql 510431a0cc8f
function service.require_cursor(collection text, shape jsonb, roles text[]) returns void: plpgsql, stable; sql/compile/order/require_cursor.sql 75db1d4739ad
function service.require_earlier_refs(value jsonb, refs text[], index integer) returns void: plpgsql, stable; sql/write/batch/require_earlier_refs.sql 475231c93afb
function service.require_email(email text) returns text: plpgsql, stable; sql/auth/account/require_email.sql 10d62646f4c8
function service.require_file_fits(request jsonb) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/storage/limits/require_file_fits.sql a63999efbdaf
function service.require_filterable(property properties, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_filterable.sql 248ab678b937
function service.require_found(request jsonb, current text) returns void: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/judge/require_found.sql 020897089e20
function service.require_history(served collections) returns void: plpgsql, stable; sql/write/history/require_history.sql 3ed8e12159ee
function service.require_key_rank(uid text, given text[]) returns void: plpgsql, volatile; sql/auth/manage/require_key_rank.sql d6974cc2f707
function service.require_key_scope(scope text) returns void: plpgsql, stable, for service_user; sql/identity/require_key_scope.sql e95f546bab32
function service.require_known_fields(served collections, sent text[], roles text[]) returns void: plpgsql, stable; sql/write/judge/require_known_fields.sql f61189e05318
function service.require_linkable(relation relations, op text, roles text[]) returns void: plpgsql, stable; sql/write/links/require_linkable.sql 7594a6e87845
function service.require_linked(link jsonb, state jsonb) returns void: plpgsql, stable, for service_user; sql/write/links/require_linked.sql 8a935bef7ac9
function service.require_nestable(relation relations, shape jsonb) returns void: plpgsql, stable; sql/write/links/require_nestable.sql 9853944fd1a8
function service.require_open_fields(served collections, op text, sent text[], roles text[]) returns void: plpgsql, stable; sql/write/judge/require_open_fields.sql 54f9bd93bce5
function service.require_open_path(property properties, path text[], roles text[]) returns text: plpgsql, stable; sql/compile/parts/require_open_path.sql 93e732995f54
function service.require_operations(served collections, operations jsonb, sent text[], roles text[]) returns void: plpgsql, stable; sql/write/judge/require_operations.sql b68aef3b2222
function service.require_other_admin(uid text) returns void: plpgsql, volatile; sql/auth/manage/require_other_admin.sql 27b45af68f51
function service.require_parent(request jsonb, state text) returns void: plpgsql, stable, for service_user; sql/write/links/require_parent.sql 26f685f3aca5
function service.require_path_readable(path jsonb, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_path_readable.sql 2551ae358e3f
function service.require_pending_sign_in(uid text, tokens_valid_after text) returns void: plpgsql, stable; sql/auth/factors/require_pending_sign_in.sql 24c7cabdc7dd
function service.require_rank(uid text, given text[], rank jsonb) returns void: plpgsql, volatile; sql/auth/manage/require_rank.sql f7a24d858122
function service.require_readable(property properties, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_readable.sql dc2d5aec6b4d
function service.require_readable_ids(request jsonb, ids jsonb) returns void: plpgsql, stable, for service_user; sql/write/links/require_readable_ids.sql 6441e4212c14
function service.require_relation_readable(relation relations, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_relation_readable.sql c3d4a00a5ac7
function service.require_resolved(relation relations) returns void: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/compile/names/require_resolved.sql ce3b209dfe7f
function service.require_response_fields(collection text, fields jsonb, roles text[]) returns void: plpgsql, stable; sql/write/judge/require_response_fields.sql 45ecbb82a842
function service.require_second_factor(uid text, session_id text) returns void: plpgsql, stable; sql/auth/factors/require_second_factor.sql c63be14381da
function service.require_unmasked(property properties, roles text[]) returns void: plpgsql, stable; sql/compile/names/require_unmasked.sql 17ed10c2ea56
function service.required_message(field text, attributes jsonb) returns text: sql, immutable, parallel safe; sql/write/judge/required_message.sql a2bb7e1df783
function service.reseal_factor(factor_id uuid, before bytea, sealed_secret bytea) returns void: sql, volatile; sql/auth/factors/reseal_factor.sql 3b3563db3650
function service.reserved_problem(name text) returns text: sql, stable, parallel safe; sql/collections/names/reserved_problem.sql 1ad339e08263
function service.reset_password(token_hash bytea, password_hash text, unlinks boolean DEFAULT true) returns text: plpgsql, volatile; sql/auth/proof/reset_password.sql 0e87b127c644
function service.rest_from_changes(reader uuid, awake boolean) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/rest_from_changes.sql 0c1ae22ec99c
function service.restore_settings(settings jsonb) returns void: plpgsql, volatile, for service_user; sql/psql/restore_settings.sql 6b36be6373fb
function service.restricted_fault(statements text[]) returns text: plpgsql, volatile, set standard_conforming_strings=on set search_path=public, pg_temp; sql/provision/restricted_fault.sql 6ab86add7e85
function service.restricted_parts(attributes jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/columns/restricted_parts.sql e9a056ee5319
function service.returned_columns(collection text, key text[], names text[], stored jsonb, sent jsonb, returned jsonb) returns jsonb: plpgsql, stable, for service_user; sql/provision/triggers/returned_columns.sql adebcf15d448
function service.revert(collection text, id text, entry uuid, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/revert.sql abd1d0fd6ccd
function service.revert_plan(collection text, roles text[]) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan, for service_user; sql/write/history/revert_plan.sql 7c59113bb59c
function service.revert_row(caller text[], request jsonb) returns json: plpgsql, volatile, for service_user; sql/write/history/revert_row.sql 206cbf5550ee
function service.reverted_fields(fields jsonb, stored jsonb, entry jsonb) returns jsonb: sql, immutable, for service_user; sql/write/history/reverted_fields.sql 70c0c1b31286
function service.revoke_api_key(id text) returns void: plpgsql, volatile; sql/auth/keys/revoke_api_key.sql e6f00b8b254e
function service.role_faults(login text) returns SETOF text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/identity/role_faults.sql 21d574ccf1a7
function service.roles() returns text: sql, stable, parallel safe, for service_user; sql/identity/roles.sql 127da52fc55a
function service.roles_test(operator text, roles jsonb) returns text: plpgsql, immutable, parallel safe; sql/rules/roles_test.sql ede0d066fb6c
function service.row_count(collection text, shape jsonb, conditions text[], most text DEFAULT NULL::text) returns text: plpgsql, stable; sql/compile/statement/row_count.sql d97eee2a2892
function service.row_id(shown json, key jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/write/batch/row_id.sql ea2f057a027d
function service.row_keys(relations oid[]) returns TABLE(relation oid, key smallint[], problem text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/row_keys.sql be9b1b481275
function service.row_statement(collection text, answer text, conditions text[]) returns text: plpgsql, stable; sql/write/plan/row_statement.sql 3db338e827c1
function service.row_tag(collection text, alias text, roles text[], version text DEFAULT NULL::text) returns text: plpgsql, stable; sql/compile/row/row_tag.sql 6b67c0c35aab
function service.row_triggers(served collections, op text) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/judge/row_triggers.sql c14c6a0dbc57
function service.rule_condition(rule jsonb, clause text) returns jsonb: plpgsql, immutable, parallel safe; sql/rules/rule_condition.sql 02dded00f60b
function service.rule_conditions(sent text, sent_text text, type text, attributes jsonb) returns text[]: plpgsql, stable; sql/write/plan/rule_conditions.sql 0f0da37410e1
function service.rule_operations(rule jsonb) returns TABLE(operation text, several boolean): sql, immutable, parallel safe; sql/rules/rule_operations.sql eaa8331010ca
function service.rule_path(definition jsonb, collection text, number bigint) returns text: plpgsql, immutable, parallel safe; sql/rules/rule_path.sql 0169c940b740
function service.rule_predicate(collection text, alias text, rule jsonb, clause text) returns text: plpgsql, stable; sql/rules/rule_predicate.sql cd30fa063a34
function service.rule_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/rule_problems.sql 336eea7baaf5
function service.rule_sql(collection text, alias text, sql text) returns text: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/rule_sql.sql f89229bb064d
function service.rule_warnings() returns TABLE(path text, warning text): plpgsql, stable, set jit=off set standard_conforming_strings=on; sql/collections/problems/rule_warnings.sql 6faa8694e0d4
function service.run(request json, claims jsonb, prefix text DEFAULT ''::text) returns SETOF text: plpgsql, volatile, set TimeZone=UTC set DateStyle=ISO, YMD set IntervalStyle=postgres set extra_float_digits=1 set jit=off; sql/psql/run.sql 8f77ade4c149
function service.run_planned(statement text, parameters text[]) returns text: plpgsql, volatile, for service_user; sql/write/run_planned.sql 71080dee1fe8
function service.run_write(request jsonb, plan jsonb, moved text[], sent text DEFAULT NULL::text) returns text: plpgsql, volatile, for service_user; sql/write/run_write.sql edbb279241a3
function service.runs_as_caller(options text[]) returns boolean: sql, stable; sql/catalog/runs_as_caller.sql e1d29c3946a1
function service.same_default(stored text, wanted text, type text) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/same_default.sql 226268df85f4
function service.same_row(collection text, alias text, columns text[], listed_alias text) returns text[]: plpgsql, stable; sql/write/links/same_row.sql 155937b41289
function service.same_type(wanted text, type oid, modifier integer) returns boolean: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/same_type.sql 74fae6e33fd9
function service.say_in_channels(gateway uuid, channels text[], ids uuid[], states text[], notifications text[]) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/say_in_channels.sql 834f2c3be3d1
function service.scalar_value(expression text, sql_type text) returns text: plpgsql, stable, parallel safe; sql/compile/row/scalar_value.sql 626e0804acee
function service.schema_plan() returns TABLE(step integer, kind text, target text, statement text, concurrent boolean, verdict text, detail text, remedy text, lock text, effect text, row_estimate bigint, bytes bigint, safer text, risk text): plpgsql, stable, set jit=off; sql/provision/risk/schema_plan.sql 40cb219f8b41
function service.schema_version() returns text: sql, stable; sql/collections/schema_version.sql 6607db6fa1cd
function service.score_columns(collection text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/search/score_columns.sql ea4d40813fee
function service.score_order(collection text, requested jsonb, roles text[]) returns text: plpgsql, stable; sql/search/score_order.sql 21b3f3299f51
function service.seal_policy(relation regclass, name text, meaning text, origin text) returns void: plpgsql, volatile; sql/rules/seal_policy.sql cec018620651
function service.seal_version() returns text: sql, stable; sql/rules/seal_version.sql 12e1d27e3acd
function service.search_block(collection text) returns jsonb: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/search_block.sql c9855abfd027
function service.search_condition(block jsonb, vector text, folded text) returns text: plpgsql, immutable; sql/search/search_condition.sql 5ea7c863e4bb
function service.search_conditions(collection text, alias text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/search/search_conditions.sql 02d9cd9ef255
function service.search_context(block jsonb, parameter text) returns text[]: plpgsql, immutable; sql/search/search_context.sql 203f1e026e5c
function service.search_document(collection text, path text, prefix text, length integer) returns text: sql, stable; sql/search/search_document.sql 4f2c52c700f6
function service.search_documents(collection text, block jsonb, prefix text) returns TABLE(n bigint, path text, weight text, document text): sql, stable; sql/search/search_documents.sql 5d29c2ea89c0
function service.search_finder(collection text) returns TABLE(name text, body text): sql, stable, set search_path=pg_catalog, pg_temp; sql/search/search_finder.sql 9064488694a3
function service.search_folded(expression text, block jsonb) returns text: sql, immutable, parallel safe; sql/search/search_folded.sql bf15b017b6ce
function service.search_matches(collection text, block jsonb) returns text: plpgsql, stable; sql/search/search_matches.sql 6f07a105f73c
function service.search_meaning(remark text) returns text: sql, immutable, parallel safe; sql/search/search_meaning.sql 876eadcecc28
function service.search_patterns(text text) returns text[]: sql, immutable, parallel safe, for service_user; sql/search/search_patterns.sql 95336d865626
function service.search_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/search_problems.sql 85cf6ff3091f
function service.search_query(config regconfig, text text, every boolean) returns tsquery: plpgsql, immutable, parallel safe, set client_min_messages=warning, for service_user; sql/search/search_query.sql 3d5158a71397
function service.search_score(block jsonb, vector text, folded text) returns text: plpgsql, immutable; sql/search/search_score.sql 204ae92ab386
function service.search_snippet(config regconfig, query tsquery, document text, hits text[]) returns text: plpgsql, immutable, parallel safe, set client_min_messages=warning, for service_user; sql/search/search_snippet.sql ea646cc0c8f9
function service.search_substrings(text text) returns text[]: sql, immutable, parallel safe, for service_user; sql/search/search_substrings.sql 8e11c3e3dfb7
function service.search_terms(text text) returns text[]: sql, immutable, parallel safe, for service_user; sql/search/search_terms.sql fb7eb17baac6
function service.search_text(collection text, block jsonb, prefix text) returns text: sql, stable; sql/search/search_text.sql e42cf6cf700a
function service.search_vector(collection text, block jsonb, prefix text) returns text: sql, stable; sql/search/search_vector.sql c231e1841939
function service.security_rules() returns TABLE(collection text, path text, n bigint, rule jsonb, operations text[], ways text[]): sql, stable; sql/collections/declared/security_rules.sql fecaf8c80a09
function service.sent_bodies(request json) returns json[]: sql, immutable, parallel safe, for service_user; sql/write/batch/sent_bodies.sql e452cceab9f9
function service.sent_elements(value jsonb, key jsonb) returns jsonb: plpgsql, immutable, parallel safe, for service_user; sql/write/links/sent_elements.sql 7d049144e81a
function service.sent_fields(served collections, names text[]) returns TABLE(field text, relation_kind text, unwraps text, property service.properties): sql, stable; sql/write/plan/sent_fields.sql 4dd0d1c94f89
function service.sent_id(item jsonb, key jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/write/links/sent_id.sql 57b56e7038db
function service.sent_links(served collections, sent text[]) returns SETOF service.relations: plpgsql, stable; sql/write/links/sent_links.sql 0ee7a8b26332
function service.sent_operand(sent jsonb, operation text) returns jsonb: sql, immutable, parallel safe, for service_user; sql/write/judge/sent_operand.sql 36373da7efad
function service.sent_operations(request jsonb) returns jsonb: plpgsql, immutable, for service_user; sql/write/judge/sent_operations.sql 2058666bdd90
function service.sent_record(body text, fields text[], types text[]) returns text: plpgsql, immutable, parallel safe; sql/write/plan/sent_record.sql b7ac66bbffa0
function service.service_claims() returns jsonb: sql, immutable, parallel safe; sql/psql/service_claims.sql 6c37a89dab5b
function service.session_json(account users, session sessions) returns json: sql, volatile; sql/auth/sessions/session_json.sql 32c3a5d281b3
function service.session_of_token(refresh_hash bytea) returns TABLE(uid text, session_id text): sql, stable; sql/auth/sessions/session_of_token.sql 11c9be0ed17a
function service.sessions_of(uid text, current_session text) returns json: sql, stable; sql/auth/sessions/sessions_of.sql 5a1177ab15db
function service.settings_digests(settings jsonb) returns TABLE(subject text, key integer, digest integer): sql, immutable, set search_path=pg_catalog, pg_temp set jit=off; sql/operations/settings/settings_digests.sql 4122c96de5cc
function service.settings_report() returns json: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/operations/settings/settings_report.sql e2750a52a197
function service.short_hash(meaning text) returns text: sql, immutable, parallel safe; sql/provision/short_hash.sql ff81cf0a3131
function service.short_name(stem text, suffix text) returns text: plpgsql, immutable, parallel safe; sql/provision/short_name.sql b6810634ff0e
function service.show_upload(id text, asker text) returns json: sql, stable; sql/storage/uploads/show_upload.sql 12f6cd3e5bc0
function service.shown_columns(collection text, alias text, node jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/row/shown_columns.sql 73911ef6f513
function service.shown_pivot(relation relations, prefix text) returns text[]: plpgsql, stable; sql/compile/include/shown_pivot.sql e9ae166bdd78
function service.shown_row(collection text, alias text) returns text: plpgsql, stable; sql/compile/row/shown_row.sql 0556bc4d97e5
function service.shown_value(parameter integer, sql_type text, list boolean, field text) returns text: sql, stable; sql/compile/filter/shown_value.sql 31cc1ed8ee23
function service.singular(name text) returns text: plpgsql, immutable, parallel safe; sql/catalog/singular.sql 2164d12b89dc
function service.slug_problems(project jsonb) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/slug_problems.sql 1b2213202ba8
function service.snake_case(name text) returns text: sql, immutable, parallel safe; sql/collections/names/snake_case.sql c206f8eacb72
function service.snapshot(served collections, alias text) returns text: sql, stable; sql/write/history/snapshot.sql 745ed4ad40f5
function service.soft_delete_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/soft_delete_problems.sql c1f38fcd7e5f
function service.sort_aggregate(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text) returns record: plpgsql, stable; sql/compile/order/sort_aggregate.sql ff068eb0745e
function service.sort_key(collection text, alias text, field text, roles text[], OUT expression text, OUT sql_type text, OUT nullable boolean, OUT property text) returns record: plpgsql, stable; sql/compile/order/sort_key.sql b230527e49da
function service.sort_property(collection text, field text, roles text[]) returns service.properties: plpgsql, stable; sql/compile/order/sort_property.sql 5a416a6da30a
function service.sorts_by_score(collection text, shape jsonb) returns boolean: sql, stable; sql/search/sorts_by_score.sql 7d5757f5421d
function service.sql_type(type oid) returns text: sql, stable; sql/catalog/sql_type.sql b636346c6e41
function service.stamp_body(names text[], types text[], stamps text[], soft_delete text) returns text: sql, immutable; sql/provision/triggers/stamp_body.sql 6b65d8c4f5d1
function service.standing_settings() returns jsonb: sql, stable, set search_path=pg_catalog, pg_temp; sql/operations/settings/standing_settings.sql 8e9daab1784a
function service.step_columns(collection text, named jsonb) returns text[]: sql, stable; sql/collections/declared/step_columns.sql c687fb287dad
function service.step_effects() returns TABLE(n integer, kind text, pattern text, lock text, effect text, safer text): sql, immutable, parallel safe; sql/provision/risk/step_effects.sql 18f6fbe70b44
function service.step_table(statement text) returns regclass: sql, stable; sql/provision/risk/step_table.sql c0ff23f99719
function service.stop_asking(reader uuid) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/changes/stop_asking.sql 87d3b669dd5b
function service.storage_problems(definition jsonb) returns TABLE(suffix text, problem text): sql, stable; sql/collections/problems/storage_problems.sql e16dbfdb5821
function service.storage_rule_problems(rules jsonb) returns TABLE(path text, problem text): sql, volatile, set jit=off; sql/storage/rules/storage_rule_problems.sql 575ed6e5cc97
function service.storage_why(operation text, key text, claims jsonb DEFAULT service_claims(), more jsonb DEFAULT '{}'::jsonb) returns jsonb: plpgsql, volatile, set TimeZone=UTC set jit=off; sql/psql/storage_why.sql 0225f8a06bc8
function service.store_collections(project jsonb) returns void: plpgsql, volatile; sql/collections/define/store_collections.sql 109a5b98159e
function service.store_ends() returns void: sql, volatile; sql/collections/define/store_ends.sql 9841977c405f
function service.store_files() returns void: sql, volatile; sql/storage/limits/store_files.sql 4f5ec4ab9dd1
function service.store_foreign_keys() returns void: plpgsql, volatile; sql/collections/define/store_foreign_keys.sql f61a9a059ffc
function service.store_junctions() returns void: sql, volatile; sql/collections/define/store_junctions.sql ab424cddfd40
function service.store_links() returns void: plpgsql, volatile; sql/collections/define/store_links.sql f9753d180830
function service.store_via() returns void: sql, volatile; sql/collections/define/store_via.sql cd5dc441abaf
function service.stored_expression(field text, property properties, unwraps text, OUT read_as text, OUT expression text) returns record: plpgsql, stable; sql/write/plan/stored_expression.sql 834f5c987550
function service.stored_fingerprint() returns text: sql, stable; sql/collections/define/stored_fingerprint.sql ec53b3938684
function service.stored_tag(served collections, roles text[]) returns text: sql, stable; sql/write/plan/stored_tag.sql dcd33a48ff6b
function service.substring_condition(collection text, alias text, roles text[]) returns text: sql, stable; sql/search/substring_condition.sql 46533890e99d
function service.suggested_policies(schema text, unprotected text DEFAULT 'skip'::text) returns text: sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/suggested_policies.sql 247bdcb0eb00
function service.sweep_channels(leaving uuid) returns void: sql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/sweep_channels.sql 57d2739435a7
function service.table_keys(tables oid[]) returns TABLE(relation oid, key smallint[]): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/catalog/table_keys.sql 2a0695a9aa37
function service.table_metadata(name text) returns json: sql, stable, set search_path=pg_catalog, public, pg_temp; sql/operations/table_metadata.sql bf6f12dc182f
function service.table_name(collection text) returns text: plpgsql, stable; sql/compile/names/table_name.sql 1ca944faf272
function service.table_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/table_problems.sql 94380de7609d
function service.take_guest_link(token_hash bytea, session_uid text) returns void: plpgsql, volatile; sql/auth/proof/take_guest_link.sql 9755a10bd909
function service.take_request(key text, most integer, OUT allowed boolean, OUT remaining integer, OUT retry_after integer) returns record: plpgsql, volatile, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/limits/take_request.sql d9955007d61b
function service.take_upload(id uuid, token uuid, stale uuid DEFAULT NULL::uuid) returns json: plpgsql, volatile; sql/storage/uploads/take_upload.sql 244947dae727
function service.takes_patterns(collection text, column_name text) returns boolean: plpgsql, stable; sql/compile/filter/takes_patterns.sql a8c800b09bff
function service.target_slug(relation jsonb) returns text: sql, immutable, parallel safe; sql/collections/declared/target_slug.sql e526c2b94faa
function service.target_type(link relations, OUT type text, OUT sql_type text, OUT whole jsonb) returns record: plpgsql, stable; sql/collections/define/target_type.sql b700b138ed51
function service.tell_of_file(caller text[], event jsonb) returns jsonb: plpgsql, volatile, for service_user; sql/storage/triggers/tell_of_file.sql 4eb0c8335b54
function service.tell_writers() returns void: sql, volatile; sql/realtime/changes/tell_writers.sql 6c24cbfe180e
function service.tenant_body(collection text, field text, column_name text, type text, bypasses text, tenants text) returns text: sql, immutable; sql/provision/triggers/tenant_body.sql f492ac697ece
function service.tenant_conditions(collection text, alias text, roles text[]) returns text[]: plpgsql, stable; sql/compile/filter/tenant_conditions.sql 5e6e9f52a9ec
function service.tenant_policies(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/rules/tenant_policies.sql b26400d90bdb
function service.tenant_problems(unreadable text[]) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/tenant_problems.sql d4f3a1a281c9
function service.tend_channels(gateway uuid, read bigint[]) returns TABLE(known boolean, broadcasts bigint[]): plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/tend_channels.sql a6918ff72c8a
function service.texts(list jsonb) returns text[]: plpgsql, immutable, parallel safe; sql/collections/declared/texts.sql 2b9fc3edc865
function service.texts_within(document jsonb) returns text: sql, immutable, parallel safe, for service_user; sql/search/texts_within.sql a5d9cbab4259
function service.total(collection text, shape jsonb, conditions text[], page_size text) returns text: plpgsql, stable; sql/compile/statement/total.sql f9fd8dc64eb9
function service.touch_api_key(id uuid) returns void: sql, volatile; sql/auth/keys/touch_api_key.sql 722c296c6494
function service.trashed_match(served collections, sent text[], target text[]) returns text: plpgsql, stable; sql/write/plan/trashed_match.sql 11552e8d1ac9
function service.try_cast(value text, type anyelement) returns anyelement: plpgsql, stable, parallel safe, for service_user; sql/rules/try_cast.sql 28581fcad57b
function service.type_family(type text) returns text: plpgsql, immutable, parallel safe; sql/rules/type_family.sql 65386989f831
function service.type_in_words(type text, sql_type text) returns text: sql, immutable, parallel safe; sql/write/judge/type_in_words.sql 23d28a71c28e
function service.typed(value text, sql_type text, list boolean DEFAULT false) returns text: plpgsql, immutable, parallel safe; sql/compile/filter/typed.sql dc900dc07986
function service.uid() returns text: sql, stable, parallel safe, for service_user; sql/identity/uid.sql 97aae11d5e83
function service.undeclared_column(served collections, column_name text) returns service.properties: sql, stable, set search_path=pg_catalog, pg_temp; sql/write/judge/undeclared_column.sql 917b36da6568
function service.unique_columns(served collections) returns TABLE(columns text[]): sql, stable, set search_path=pg_catalog, pg_temp; sql/write/plan/unique_columns.sql 85f4ebabace9
function service.unknown_fields(collection text, sql text) returns text[]: sql, stable, set search_path=pg_catalog, pg_temp; sql/rules/unknown_fields.sql 488a293bb51b
function service.unlink_statement(relation relations, rows text, listed boolean) returns text: plpgsql, stable; sql/write/links/unlink_statement.sql acc5fe0b3fe6
function service.unmapped_tables(mapped text[]) returns text[]: sql, stable, set search_path=pg_catalog, public, pg_temp; sql/operations/unmapped_tables.sql d9b22d17c4d3
function service.unmasked(property properties, roles text[]) returns boolean: sql, immutable; sql/compile/names/unmasked.sql 77a787627c8c
function service.unreachable_policies() returns TABLE(table_name text, policy text, roles text, rewriting text): sql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/catalog/unreachable_policies.sql 8b16c1b93601
function service.unreadable_columns(served collections, request jsonb) returns text[]: plpgsql, stable; sql/write/judge/unreadable_columns.sql 3df08dc2b6a0
function service.unsearchable_because(collection text, path text[]) returns text: plpgsql, stable; sql/collections/problems/unsearchable_because.sql e359dbbe4efb
function service.unsearchable_value(definition jsonb, path text[], depth integer) returns text: plpgsql, immutable; sql/collections/problems/unsearchable_value.sql 7ae3f68b14ff
function service.unusable_because(relation regclass) returns text: plpgsql, volatile; sql/rules/unusable_because.sql f69083fb0403
function service.unused_prefix(collection text) returns text: plpgsql, stable; sql/compile/names/unused_prefix.sql 501336e07876
function service.unused_relation_name(collection text, wanted text) returns text: plpgsql, stable; sql/collections/define/unused_relation_name.sql f3ed77255411
function service.unverified_factor(uid text, session_id text, factor_id text) returns service.mfa_factors: plpgsql, volatile; sql/auth/factors/unverified_factor.sql 5b87574ccb9d
function service.unwrapped(value jsonb, field text) returns jsonb: sql, immutable, parallel safe, for service_user; sql/write/plan/unwrapped.sql e861705fb6af
function service.update(collection text, id text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/update.sql 98619c5cd9c4
function service.update_account(uid text, email text DEFAULT NULL::text, display_name text DEFAULT NULL::text, roles text[] DEFAULT NULL::text[], disabled boolean DEFAULT NULL::boolean, password_hash text DEFAULT NULL::text, rank jsonb DEFAULT 'null'::jsonb) returns json: plpgsql, volatile; sql/auth/manage/update_account.sql 543642bfa8db
function service.update_api_key(id text, changes jsonb) returns json: plpgsql, volatile; sql/auth/keys/update_api_key.sql b7daac8a9d7c
function service.update_many(collection text, updates jsonb, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/update_many.sql 2a7d8a1f998b
function service.update_profile(uid text, display_name text, photo_url text) returns void: sql, volatile; sql/auth/account/update_profile.sql 388883b574ce
function service.update_related(collection text, id text, relation text, related_id text, body jsonb DEFAULT '{}'::jsonb, claims jsonb DEFAULT service_claims()) returns json: sql, volatile; sql/psql/update_related.sql 99f5c1a9f623
function service.update_statement(served collections, sent text[], body text, answer text, conditions text[], sources text[] DEFAULT '{}'::text[], sometimes text[] DEFAULT '{}'::text[], operations jsonb DEFAULT NULL::jsonb, roles text[] DEFAULT NULL::text[]) returns text: plpgsql, stable; sql/write/plan/update_statement.sql 39090f252a31
function service.upload_creator(id uuid, accounts boolean) returns jsonb: sql, stable; sql/storage/uploads/upload_creator.sql 3998d8ea94ad
function service.upload_json(upload storage_uploads) returns json: sql, stable; sql/storage/uploads/upload_json.sql cb6844746f24
function service.use_account_hooks(functions jsonb) returns TABLE(hook text, problem text): plpgsql, volatile; sql/auth/hooks/use_account_hooks.sql 15a9d8787f75
function service.use_channel_rules(rules jsonb) returns void: plpgsql, volatile, set search_path=pg_catalog, pg_temp set jit=off; sql/realtime/channels/use_channel_rules.sql 8e7a7299b78b
function service.use_storage_rules(rules jsonb) returns TABLE(path text, problem text): plpgsql, volatile, set jit=off; sql/storage/rules/use_storage_rules.sql fb4456b31d34
function service.valid_fields(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/names/valid_fields.sql 8e8e767f7e62
function service.valid_relations(collection text, roles text[]) returns jsonb: sql, stable; sql/compile/names/valid_relations.sql 6d3b03199382
function service.validation_problems(rules jsonb, kind text) returns TABLE(suffix text, problem text): plpgsql, stable; sql/collections/problems/validation_problems.sql 1de660bb5078
function service.value(parameter integer, sql_type text, list boolean DEFAULT false) returns text: sql, immutable, parallel safe; sql/compile/filter/value.sql 137ad25d2db1
function service.value_attributes(definition jsonb) returns jsonb: plpgsql, stable; sql/collections/columns/value_attributes.sql 5ea60661ff47
function service.value_condition(sent text, sent_text text, type text, sql_type text, attributes jsonb, is_part boolean DEFAULT false) returns text: plpgsql, stable; sql/write/plan/value_condition.sql 6b1d8c1b79a9
function service.value_conditions(plan jsonb, body text) returns text[]: plpgsql, stable; sql/write/plan/value_conditions.sql e18cf4e89159
function service.value_problems(definition jsonb, place text, unfilled text DEFAULT NULL::text) returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/value_problems.sql 01ea9c00de41
function service.value_rules(attributes jsonb) returns jsonb: sql, immutable, parallel safe; sql/write/judge/value_rules.sql aef0393c434f
function service.value_spec(property properties, operation text DEFAULT NULL::text) returns jsonb: sql, stable; sql/write/judge/value_spec.sql b36c0fc8b5fe
function service.vector_conditions(collection text, alias text, shape jsonb, roles text[]) returns text[]: plpgsql, stable; sql/compile/vector/vector_conditions.sql 14c4b45bdab1
function service.vector_distance(collection text, alias text, vector jsonb, roles text[]) returns text: plpgsql, stable; sql/compile/vector/vector_distance.sql a505ec62b488
function service.vector_index(definition jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/columns/vector_index.sql 1b9ac9f9f603
function service.vector_page(collection text, shape jsonb, conditions text[], roles text[]) returns text: plpgsql, stable; sql/compile/vector/vector_page.sql 4d3e2bf42400
function service.vector_property(collection text, field text, roles text[]) returns service.properties: plpgsql, stable; sql/compile/vector/vector_property.sql b44cf7653059
function service.vector_scan(shape jsonb) returns text[]: plpgsql, stable; sql/compile/vector/vector_scan.sql ad1edbe09174
function service.verify_email(token_hash bytea, session_uid text) returns text: plpgsql, volatile; sql/auth/proof/verify_email.sql 342704ec2780
function service.verify_factor(uid text, session_id text, factor_id text, time_step bigint) returns void: plpgsql, volatile; sql/auth/factors/verify_factor.sql de75c14a3c1a
function service.version_columns(collection text, alias text) returns text[]: plpgsql, stable; sql/compile/row/version_columns.sql 2ea0d400dd9b
function service.via_problems() returns TABLE(path text, problem text): plpgsql, stable; sql/collections/problems/via_problems.sql 549e60a13edb
function service.via_source(relation relations) returns text: plpgsql, stable; sql/compile/include/via_source.sql 5aa1fd3ad27e
function service.view_key(view oid, keys jsonb) returns smallint[]: plpgsql, stable, set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off; sql/catalog/view_key.sql c93b66dd145a
function service.violation_details(collection text, fields text[], code text, message text) returns jsonb: sql, immutable, for service_user; sql/write/judge/violation_details.sql 4f4cc22750d1
function service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb) returns TABLE(field_path text, code text, message text): plpgsql, stable; sql/write/judge/violations.sql ba0a23dc03d2
function service.wanted_accounts(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, collection text, key text, row_function text, row_body text, account_function text, account_body text, filling text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_accounts.sql c4b6f7c0b555
function service.wanted_columns(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns service.wanted_column[]: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_columns.sql b069bdf4f333
function service.wanted_foreign_keys(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, name text, columns text[], target_schema text, target_table text, target_columns text[], on_delete text, on_update text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_foreign_keys.sql 8ab6c8800907
function service.wanted_history(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, function_for text, body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_history.sql 15f7defe49c4
function service.wanted_indexes(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns TABLE(schema_name text, table_name text, relation oid, kind text, name text, is_unique boolean, columns text[], body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_indexes.sql e9373645244c
function service.wanted_policies(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, name text, clause text, meaning text, origin text): plpgsql, stable, set search_path=pg_catalog, pg_temp set jit=off; sql/rules/wanted_policies.sql 35d18384a026
function service.wanted_releases(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, trigger_name text, condition text, as_owner boolean, function_for text, body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/storage/cleanup/wanted_releases.sql 21ff705f8d8b
function service.wanted_search_columns(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(collection text, schema_name text, table_name text, relation oid, name text, type text, expression text, meaning text, index_keys text, attnum smallint, made_of text, ready boolean): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/search/wanted_search_columns.sql 7d0ae377162d
function service.wanted_stamps(wanted_tables wanted_table[] DEFAULT wanted_tables(), wanted_columns wanted_column[] DEFAULT wanted_columns()) returns TABLE(schema_name text, table_name text, relation oid, function_for text, body text): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_stamps.sql af9ab3e848fe
function service.wanted_tables() returns service.wanted_table[]: plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_tables.sql c780eaa6f0bb
function service.wanted_tenants(wanted_tables wanted_table[] DEFAULT wanted_tables()) returns TABLE(schema_name text, table_name text, relation oid, collection text, field text, column_name text, type text, bypasses text, tenants text, single boolean): plpgsql, stable, set search_path=pg_catalog, pg_temp; sql/provision/wanted/wanted_tenants.sql ab78a92fdade
function service.watch_ddl() returns boolean: plpgsql, volatile; sql/catalog/watch_ddl.sql 17c3abd4252e
function service.weigh_file(request jsonb, OUT status integer, OUT reason text, OUT bound jsonb) returns record: plpgsql, volatile, for service_user; sql/storage/weigh/weigh_file.sql 39292852af01
function service.whole_type(definition jsonb, is_key boolean, enum_type text) returns text: plpgsql, stable; sql/collections/columns/whole_type.sql 8746c142805f
function service.whole_upload() returns json: sql, volatile; sql/storage/uploads/whole_upload.sql 4c9104dc62e7
function service.with_account(definition jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/declared/with_account.sql 579535d16920
function service.with_key(definition jsonb) returns jsonb: plpgsql, immutable, parallel safe; sql/collections/declared/with_key.sql 61b8e2eb5449
function service.with_refs(value jsonb, rows jsonb) returns jsonb: plpgsql, stable, for service_user; sql/write/batch/with_refs.sql b009bd0c6b35
function service.with_route(op text, path text[], request json) returns json: sql, immutable, parallel safe; sql/psql/with_route.sql 79744114d2bd
function service.word_problem(name text) returns text: sql, stable, parallel safe; sql/collections/names/word_problem.sql c1e7a76de6f0
function service.wrapped_calls(expression text) returns text: plpgsql, immutable, parallel safe; sql/audit/wrapped_calls.sql b1e32cb74250
function service.writable_fields(collection text, roles text[]) returns text[]: sql, stable; sql/write/plan/writable_fields.sql 2b4ffeb2594a
function service.write(caller text[], request jsonb, plan jsonb DEFAULT NULL::jsonb, sent text DEFAULT NULL::text) returns json: plpgsql, volatile, for service_user; sql/write/write.sql 05353347bf42
function service.write_links(request jsonb, links jsonb, id text) returns void: plpgsql, volatile, for service_user; sql/write/links/write_links.sql 7bc0b3a7f965
function service.write_many(caller text[], request jsonb, sent text DEFAULT NULL::text, known jsonb DEFAULT NULL::jsonb) returns json: plpgsql, volatile, for service_user; sql/write/batch/write_many.sql fda93b24a08b
function service.write_one(caller text[], single jsonb, plan jsonb, moved text[], rows jsonb, sent json, OUT answer text, OUT stored json) returns record: plpgsql, volatile, for service_user; sql/write/batch/write_one.sql b636eaae1070
function service.write_plan(shape jsonb, roles text[]) returns jsonb: plpgsql, stable, security definer, set search_path=pg_catalog, pg_temp set jit=off set plan_cache_mode=force_generic_plan, for service_user; sql/write/plan/write_plan.sql 396a32cadfc3
function service.write_shape(request jsonb) returns jsonb: sql, stable, security definer, set search_path=pg_catalog, pg_temp, for service_user; sql/write/plan/write_shape.sql 2d58508a03bd
function service.written_collection(request jsonb) returns text: sql, stable; sql/write/links/written_collection.sql 1dcf8f616bf3
function service.written_columns(served collections, op text, sent text[], body text DEFAULT NULL::text, sometimes text[] DEFAULT '{}'::text[], operations jsonb DEFAULT NULL::jsonb, roles text[] DEFAULT NULL::text[]) returns TABLE(column_name text, expression text, field text, read_as text): sql, stable; sql/write/plan/written_columns.sql f19dd25139e4
function service.written_id(served collections) returns text: sql, stable; sql/write/plan/written_id.sql 20e690ea453d
function service.written_pivot(relation relations) returns TABLE(name text, column_name text, expression text, read_as text): plpgsql, stable; sql/write/links/written_pivot.sql 0e4992797772

create event trigger service_ddl on ddl_command_end execute function service.on_ddl();

create event trigger service_drop on sql_drop execute function service.on_ddl();
