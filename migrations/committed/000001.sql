--! Previous: -
--! Hash: sha1:da5ecb3a3d5aee34feb22fa83020014682421651

-- The end-user role. Roles are shared by all databases of a server, so another database may have made it already.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_user') then
    create role service_user nologin noinherit;
  end if;
exception when duplicate_object or unique_violation then
  null;
end $$;

grant usage on schema service, service_private to service_user;

-- The collections that are served. Filled from the tables of a database or from collection files; SQL reads only
-- this.
create table service.collections (
  slug text primary key,
  source text not null check (source in ('introspected', 'file')),
  name text not null,
  singular_name text not null,
  description text,
  schema_name text not null,
  table_name text not null,
  key text[] not null check (cardinality(key) > 0),
  exposed boolean not null default true,
  read_only boolean not null default false,
  strict_writes boolean not null default true,
  callbacks jsonb not null default '{}',
  definition jsonb
);
comment on table service.collections is 'Collections: one table or view each, reachable at /data/<slug>.';
comment on column service.collections.key is 'Property names of the primary key, in order.';
comment on column service.collections.strict_writes is 'False: a body may name a real column that is not declared.';
comment on column service.collections.callbacks is
  'Hook name to SQL function: beforeSave, afterSave, beforeDelete, afterDelete, afterRead.';
comment on column service.collections.definition is 'The collection file this comes from; null for a table that was there before.';
comment on column service.collections.exposed is 'False: known as a relation''s target, without routes of its own.';

create table service.properties (
  collection text not null references service.collections on delete cascade,
  name text not null,
  column_name text not null,
  position integer not null,
  type text not null check (type in ('string', 'number', 'boolean', 'date', 'array', 'map', 'geopoint', 'vector', 'binary')),
  sql_type text not null,
  not_null boolean not null,
  required boolean not null,
  generated boolean not null default false,
  excluded boolean not null default false,
  read_roles text[],
  write_roles text[],
  attributes jsonb not null default '{}',
  primary key (collection, name)
);
comment on table service.properties is 'The columns of a collection under their wire names.';
comment on column service.properties.sql_type is
  'The type that a value is cast to: the column''s, without length; the base type of a domain.';
comment on column service.properties.read_roles is 'Roles that may read it; null: every role, empty: none.';
comment on column service.properties.attributes is
  'Attributes of a value at any depth: description, label, enum (its ids), validation, requiredMessage, email, url, format, maxLength, of '
  '(the elements of an array), oneOf (its blocks: {typeField, valueField, properties}), properties (the parts of a map), keyValue; for a '
  'part also type, defaultValue, readRoles, writeRoles, excluded; for a property also isId, autoValue, defaultValue, dimensions, masked '
  '(afterRead shows another value in its place: service_private.filterable), restricted (service_private.restricted_parts). column {type, '
  'default, identity, unique, stamp, enumType, index} says how a property of a file is provisioned: a column that existed before has none.';

create table service.relations (
  collection text not null references service.collections on delete cascade,
  name text not null,
  kind text not null check (kind in ('belongsTo', 'hasOne', 'hasMany', 'manyToMany', 'via')),
  target text not null references service.collections on delete cascade deferrable initially deferred,
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
  primary key (collection, name)
);
comment on table service.relations is
  'The ways from one collection to another: direct (local_columns = target_columns), or through a junction table '
  '(local_columns = junction_source, junction_target = target_columns).';
comment on column service.relations.pivot is
  'The junction''s own properties: [{name, columnName, position, type, sqlType, notNull, required, attributes}]; null for a pure '
  'junction.';

comment on column service.relations.via is
  'For a relation over a chain of joins: {cardinality: one or many, steps: [{schema, table, from, to: columns}]}, each from the table '
  'before to this one; the last is the target''s. junction_source and junction_target are the columns of service_private.via_source.';
comment on column service.relations.on_update is
  'The action of a foreign key when the referenced key changes, in PostgreSQL''s words; null: none is set.';

-- Deleting a collection looks for the relations that lead to it.
create index on service.relations (target);

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
comment on type service.introspected_table is
  'A table or view as introspection finds it; reason says why it is not served (null: it is), remedy the SQL that would change '
  'that.';

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
comment on type service.provision_step is
  'A difference between what collections ask for and what the database has. statement brings it about (null: it is only told), '
  'concurrent when it has to run by itself, outside a transaction; verdict: safe, withheld, report; detail says what is the '
  'matter, remedy the SQL that would help.';

-- The version moves with every change of the catalog; gateways drop compiled statements when it does.
create table service.catalog (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1,
  schema_version text not null default 'v1:0000000000000000',
  defined_from text
);
insert into service.catalog default values;
comment on table service.catalog is 'One row: the version of the catalog, and the hash that stands for its collections.';
comment on column service.catalog.defined_from is
  'The source of the collections of files: a hash of the project and of the functions that read it, and the fingerprint of the resulting '
  'rows. Null before the first.';

-- HMAC-SHA256 wants the key padded to 64 bytes and XORed with 0x36 and 0x5c (RFC 2104).
create table service.cursor_key (
  only_row boolean primary key default true check (only_row),
  inner_key bytea not null,
  outer_key bytea not null
);
comment on table service.cursor_key is 'The key that signs cursors, padded for HMAC. Never leaves the database.';
insert into service.cursor_key (inner_key, outer_key)
select string_agg(set_byte('\x00', 0, b # 54), '' order by n), string_agg(set_byte('\x00', 0, b # 92), '' order by n)
from (
  select n, case when n < 32 then get_byte(key, n) else 0 end as b
  from generate_series(0, 63) n, (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) as key) k
) padded;

create table service.login_key (
  only_row boolean primary key default true check (only_row),
  key text not null default encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex')
);
insert into service.login_key default values;
comment on table service.login_key is 'From this every gateway derives the passwords of the login roles of its lanes.';

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
  'Answers to requests with an Idempotency-Key in the last 24 hours: caller (uid), request_hash (service_private.request_hash), answer '
  '(null without a body).';

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
  'The history of rows of collections with history: one entry a change, written by the trigger _910_history of their table.';
comment on column service.history.collection is 'The slug. Entries of a collection that is gone stay until they are deleted by hand.';
comment on column service.history.entity_id is 'The key of the row, as in its URL.';
comment on column service.history.number is 'Rises with every change of the row.';
comment on column service.history.action is 'create, update or delete; a soft delete is a delete too.';
comment on column service.history.snapshot is
  'The columns of the row after the change, of a delete before it, as the API shows values (before afterRead; json as text). Without '
  'excluded columns and those that no property declares.';
comment on column service.history.previous is 'For an update, the old values of the changed columns.';
comment on column service.history.updated_by is 'The uid of the caller; null for who has not signed in, or wrote past the API.';

-- Not unique: to refuse a write for the sake of its entry would be worse than two entries of one number.
create index on service.history (collection, entity_id, number);

create type service_private.wanted_table as (
  schema_name text,
  table_name text,
  collection text,
  key text[],
  read_only boolean,
  soft_delete text,
  oid oid
);
comment on type service_private.wanted_table is
  'A table that collection files ask for: that of a collection, or a junction of many-to-many relations (collection is null). key: the '
  'columns of its key; soft_delete: its column of deletion; oid is null while there is none.';

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
comment on type service_private.wanted_column is
  'A column that collection files ask for. attnum is null while the table (relation) has none of that name; type is null for a vector '
  'where the server has no pgvector.';

-- Tables refer to these two; sql/ has their text.
create function service_private.normal_email(email text) returns text language sql immutable as 'select email';
create function service_private.announce_account() returns trigger language plpgsql as 'begin return null; end';

-- Accounts. Credentials are stored as hashes; only the owner reads these tables.
create table service.users (
  uid text primary key default gen_random_uuid()::text check (
    char_length(uid) between 1 and 128 and uid = btrim(uid) and uid not in ('service', 'anonymous', 'anon') and uid !~ '^api-key:'),
  email text not null check (email is not distinct from service_private.normal_email(email)),
  display_name text check (char_length(display_name) <= 255),
  photo_url text check (char_length(photo_url) <= 2048),
  roles text[] not null default '{}' check (
    array_position(roles, null) is null and array_position(roles, '') is null and position(',' in array_to_string(roles, '')) = 0
    and not roles && '{anon,service}'),
  password_hash text,
  password_proven boolean not null default false,
  is_anonymous boolean not null default false,
  email_verified boolean not null default false,
  disabled boolean not null default false,
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  tokens_valid_after timestamptz,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  unique (email)
);
comment on table service.users is
  'The accounts of people. uid: a UUID, or the id that an imported account has elsewhere. email: in its normal form '
  '(service_private.normal_email). password_hash: a PHC string of argon2id, null without a password. password_proven: whether the '
  'address was proven when the password was set. tokens_valid_after: the account''s generation; access tokens of before are refused '
  '(service_private.account_standing), and one-time tokens of another one are worth nothing (service_private.is_current).';
create index on service.users (created_at, uid);
create index on service.users (uid) where 'admin' = any (roles);

create table service.user_identities (
  provider text not null,
  provider_id text not null,
  uid text not null references service.users on delete cascade,
  email text,
  email_verified boolean not null default false,
  is_proven boolean not null default false,
  profile jsonb not null default '{}',
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (provider, provider_id)
);
comment on table service.user_identities is
  'The identities of accounts at other providers. email_verified: whether the provider vouches for that address; is_proven: whether it was '
  'linked by a person who had proven the account''s address.';
create index on service.user_identities (uid);

create table service.sessions (
  id uuid primary key default gen_random_uuid(),
  uid text not null references service.users on delete cascade,
  method text not null,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2')),
  user_agent text not null default 'unknown',
  ip_address text not null default 'unknown',
  started_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
comment on table service.sessions is
  'A session is one sign-in. method: how (password, anonymous, magic-link, otp, mfa or a provider); aal: with one factor or two; '
  'expires_at: when its last refresh token does; a revoked one stays until then, so that it can be told from an unknown one.';
create index on service.sessions (uid, started_at);

create table service.refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references service.sessions on delete cascade,
  issued_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  rotated_at timestamptz(3)
);
comment on table service.refresh_tokens is
  'SHA-256 hashes of the refresh tokens of sessions. rotated_at: when it was first exchanged for another one.';
create index on service.refresh_tokens (session_id);

create table service.one_time_tokens (
  token_hash bytea primary key,
  uid text not null references service.users on delete cascade,
  purpose text not null check (
    purpose in ('password-reset', 'invitation', 'verification', 'magic-link', 'otp', 'email-change', 'guest-link')),
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  address text not null,
  generation timestamptz,
  new_address text,
  password_hash text,
  session_id uuid references service.sessions on delete cascade,
  constraint one_time_tokens_password_hash_check check (password_hash is null or purpose = 'guest-link'),
  constraint one_time_tokens_new_address_check check ((purpose in ('email-change', 'guest-link')) = (new_address is not null))
);
comment on table service.one_time_tokens is
  'SHA-256 hashes of mailed links and codes. address, generation: email and tokens_valid_after of the account that the token was made '
  'for; session_id: the session that asked for a change of address. The token is worth nothing once one of them differs or the session '
  'is over (service_private.is_current). new_address, password_hash: the account''s once the token is redeemed. A used token stays until '
  'it expires, so that it can be told from an unknown one.';
create index on service.one_time_tokens (uid, purpose);
create index on service.one_time_tokens (session_id) where session_id is not null;

-- The validity of tokens depends on these columns. A trigger, so that a DBA's own statement is noticed as well.
create trigger announced after update of roles, disabled, is_anonymous, tokens_valid_after or delete on service.users
  for each row execute function service_private.announce_account();
create trigger announced after update of revoked_at on service.sessions
  for each row when (new.revoked_at is not null) execute function service_private.announce_account();

-- Counts that a crash may lose. The free half of a page is for updates in place, which are nearly all that happens here.
create unlogged table service.rate_limits (
  key text collate "C" primary key,
  seconds bigint[] not null,
  counts integer[] not null,
  last_second bigint not null
) with (fillfactor = 50);

comment on table service.rate_limits is
  'Requests that rate limits have allowed: for each key, a hash of limiter and subject, the seconds since the epoch with their counts.';

create index rate_limits_last_second on service.rate_limits (last_second);

-- API keys. A key is stored as a hash; only the owner reads the table.
create table service.api_keys (
  id uuid primary key default gen_random_uuid(),
  uid text not null generated always as ('api-key:' || id::text) stored,
  name text not null check (name = btrim(name) and char_length(name) between 1 and 255),
  key_hash bytea not null unique,
  key_prefix text not null,
  scopes text[] not null check (cardinality(scopes) > 0 and array_position(scopes, null) is null),
  roles text[] not null default '{}' check (
    array_position(roles, null) is null and array_position(roles, '') is null and position(',' in array_to_string(roles, '')) = 0
    and not roles && '{anon,service}'),
  rate_limit integer check (rate_limit > 0),
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
comment on table service.api_keys is
  'API keys. uid: who requests with it are in row security; key_hash: SHA-256 of it; key_prefix: its first 12 characters; roles: those of '
  'row security besides service; rate_limit: requests in 15 minutes, null without a limit of its own; last_used_at: to the minute.';
create index on service.api_keys (created_at, id);

create trigger announced after delete or update of scopes, roles, rate_limit, expires_at, revoked_at on service.api_keys
  for each row execute function service_private.announce_account();

-- Second factors.
create table service.mfa_factors (
  id uuid primary key default gen_random_uuid(),
  uid text not null references service.users on delete cascade,
  factor_type text not null default 'totp' check (factor_type = 'totp'),
  friendly_name text check (char_length(friendly_name) <= 255),
  sealed_secret bytea not null,
  is_proven boolean not null default false,
  last_time_step bigint,
  next_recovery_codes bytea[] not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  verified_at timestamptz(3)
);
comment on table service.mfa_factors is
  'Second factors of accounts. sealed_secret: what codes are computed from, encrypted by the gateway. is_proven: whether the account''s '
  'address was proven by then (service_private.prove_address). last_time_step: the newest 30 seconds since the epoch whose code was taken; '
  'next_recovery_codes: SHA-256 hashes of those that become the account''s with the first right code, which is when it is verified.';
create index on service.mfa_factors (uid, created_at);

create table service.mfa_challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references service.mfa_factors on delete cascade,
  wrong_codes smallint not null default 0,
  tokens_valid_after timestamptz,
  expires_at timestamptz(3) not null,
  verified_at timestamptz(3)
);
comment on table service.mfa_challenges is
  'Codes that are asked for. tokens_valid_after: that of the account by then; once it is another, who asked has lost what he had shown.';
create index on service.mfa_challenges (factor_id);

create table service.recovery_codes (
  uid text not null references service.users on delete cascade,
  code_hash bytea not null,
  primary key (uid, code_hash)
);
comment on table service.recovery_codes is
  'SHA-256 hashes of codes that stand in for a second factor of the account, each once. One that was used is deleted.';

create table service.passkeys (
  id text primary key,
  uid text not null references service.users on delete cascade,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  is_backed_up boolean not null,
  friendly_name text check (char_length(friendly_name) <= 255),
  is_proven boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3)
);
comment on table service.passkeys is
  'Passkeys of accounts. id: of the credential, base64url; public_key: COSE; counter: how often its authenticator says that it was used, 0 '
  'if it does not count; is_backed_up: whether it lives on several devices; is_proven: whether the account''s address was proven by then.';
create index on service.passkeys (uid, created_at);

create table service.passkey_users (
  uid text primary key references service.users on delete cascade,
  handle bytea not null unique default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
);
comment on table service.passkey_users is
  'The name of an account that authenticators keep: random, because anybody who has one can read it.';

create table service.passkey_challenges (
  challenge_hash bytea primary key,
  uid text references service.users on delete cascade,
  expires_at timestamptz(3) not null
);
comment on table service.passkey_challenges is
  'SHA-256 hashes of challenges that are open, each for one answer. uid: the account that makes a passkey; null for a sign-in.';
create index on service.passkey_challenges (expires_at);

-- The OAuth server behind MCP. Secrets, codes and refresh tokens are stored as hashes; only the owner reads these tables.
create table service.oauth_clients (
  client_id text primary key check (char_length(client_id) <= 2048),
  is_registered boolean not null,
  secret_hash bytea check (is_registered or secret_hash is null),
  client_name text not null check (char_length(client_name) between 1 and 200),
  redirect_uris text[] not null check (array_position(redirect_uris, null) is null),
  grant_types text[] not null,
  scope text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  approved_at timestamptz(3),
  closed_at timestamptz(3),
  check (cardinality(redirect_uris) > 0 or not is_registered)
);
comment on table service.oauth_clients is
  'Clients of the OAuth server: those that registered, and those that an account let in by the URL of their metadata document (client_id). '
  'secret_hash: SHA-256, null for a public client; scope: what it asked for when it registered; approved_at: when an account first let it '
  'in; closed_at: since when no account may let it in (service.close_oauth_client). A registered client that no account lets in is '
  'deleted after a day.';
create index on service.oauth_clients (created_at) where is_registered and approved_at is null;

create table service.oauth_consents (
  uid text references service.users on delete cascade,
  client_id text,
  scope text not null,
  granted_at timestamptz(3) not null default clock_timestamp(),
  primary key (uid, client_id)
);
create index on service.oauth_consents (client_id);
comment on table service.oauth_consents is
  'The clients that accounts have let in, with the scope of the last time. One whose client was deleted stays, for its person to see.';

create table service.oauth_requests (
  id uuid primary key,
  expires_at timestamptz not null
);
comment on table service.oauth_requests is 'Request tokens of the consent page that were answered, until they expire: each counts once.';
create index on service.oauth_requests (expires_at);

create table service.oauth_codes (
  code_hash bytea primary key,
  client_id text not null references service.oauth_clients on delete cascade,
  uid text not null references service.users on delete cascade,
  family_id uuid not null unique default gen_random_uuid(),
  redirect_uri text not null,
  code_challenge text not null,
  scope text not null,
  resource text not null,
  aal text not null check (aal in ('aal1', 'aal2')),
  signed_in_at timestamptz,
  nonce text,
  issued_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  consumed_at timestamptz
);
comment on table service.oauth_codes is
  'SHA-256 hashes of authorization codes. family_id: the family of refresh tokens that its exchange begins; code_challenge: S256 '
  '(RFC 7636); aal, signed_in_at: of the session that let the client in; nonce: of the client, for its ID token; consumed_at: when it was '
  'exchanged, or when an exchange failed.';
create index on service.oauth_codes (uid, client_id);
create index on service.oauth_codes (client_id);
create index on service.oauth_codes (expires_at);

create table service.oauth_families (
  id uuid primary key,
  client_id text not null references service.oauth_clients on delete cascade,
  uid text not null references service.users on delete cascade,
  scope text not null,
  aal text not null check (aal in ('aal1', 'aal2')),
  signed_in_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text check (revoked_at is not null or revoked_reason is null)
);
comment on table service.oauth_families is
  'All refresh tokens that followed from one code, and the access tokens that name the family as sid. scope: as the last refresh '
  'narrowed it; signed_in_at: when the session began that let the client in; expires_at: when its last refresh token does; '
  'revoked_reason: in words, null where none was given.';
create index on service.oauth_families (uid, client_id);
create index on service.oauth_families (client_id);
create index on service.oauth_families (expires_at);

create table service.oauth_refresh_tokens (
  token_hash bytea primary key,
  family_id uuid not null references service.oauth_families on delete cascade,
  issued_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  consumed_at timestamptz
);
comment on table service.oauth_refresh_tokens is
  'SHA-256 hashes of the refresh tokens of OAuth clients. consumed_at: when it was exchanged.';
create index on service.oauth_refresh_tokens (family_id);

create view service.oauth_family_overview as
select f.id, f.client_id, c.client_name, f.uid, u.email, f.scope, f.aal, f.created_at, t.rotated_at, f.expires_at, f.revoked_at,
  f.revoked_reason
from service.oauth_families f
join service.oauth_clients c on c.client_id = f.client_id
join service.users u on u.uid = f.uid
left join lateral (
  select max(r.issued_at) as rotated_at from service.oauth_refresh_tokens r where r.family_id = f.id) t on true;
comment on view service.oauth_family_overview is
  'Families of refresh tokens, until 30 days after they expired: one each time that an account let a client in. id: the sid of its access '
  'tokens; scope: as the last refresh narrowed it; rotated_at: when it last got tokens, which an agent at work does every hour; '
  'revoked_reason: null where a DBA''s own statement revoked it.';
revoke all on service.oauth_family_overview from public, service_user;

create view service.oauth_consent_overview as
select s.uid, u.email, s.client_id, c.client_name, s.scope, s.granted_at, f.last_used_at
from service.oauth_consents s
join service.users u on u.uid = s.uid
left join service.oauth_clients c on c.client_id = s.client_id
left join lateral (
  select max(o.rotated_at) as last_used_at
  from service.oauth_family_overview o
  where o.uid = s.uid and o.client_id = s.client_id) f on true;
comment on view service.oauth_consent_overview is
  'The clients that accounts let in. client_name: null for a client that is gone; scope: as the person last allowed it; last_used_at: when '
  'the client last got tokens for the account.';
revoke all on service.oauth_consent_overview from public, service_user;

create view service.oauth_client_overview as
select c.client_id, c.client_name, case when c.is_registered then 'registered' else 'document' end as kind, c.redirect_uris, c.created_at,
  f.last_used_at, s.accounts, c.closed_at
from service.oauth_clients c
left join lateral (
  select max(o.rotated_at) as last_used_at from service.oauth_family_overview o where o.client_id = c.client_id) f on true
left join lateral (
  select count(*) as accounts from service.oauth_consents o where o.client_id = c.client_id) s on true;
comment on view service.oauth_client_overview is
  'The clients of the OAuth server. kind: registered, or known by the metadata document at client_id; redirect_uris: as the document last '
  'said; last_used_at: when it last got tokens; accounts: how many let it in; closed_at: since when none may '
  '(service.close_oauth_client).';
revoke all on service.oauth_client_overview from public, service_user;

create trigger announced after delete or update of revoked_at on service.oauth_families
  for each row execute function service_private.announce_account();

-- Functions of the project that take part in account events.
create table service.account_hooks (
  hook text primary key,
  function text not null
);
comment on table service.account_hooks is
  'The functions that take part where accounts are made, sign in and are deleted, as the settings file of the last start names them '
  '(service_private.use_account_hooks).';

-- Changes of tables that gateways have leased. Unlogged: after a crash every gateway leases anew and reads everything
-- again.
create unlogged table service.change_readers (
  id uuid primary key,
  seen pg_snapshot not null,
  sockets integer not null default 0,
  subscriptions integer not null default 0,
  until timestamptz not null
);
comment on table service.change_readers is
  'Gateways that want to hear of changes, one row a start. seen: what it has heard of is visible there; sockets, subscriptions: how many '
  'it has; until: when it counts as gone, unless it says something before. All as of a quarter of a minute ago at most.';

-- A trigger finds all that it needs here: a join with the readers took it three times as long.
create unlogged table service.change_leases (
  relation oid not null,
  reader uuid not null references service.change_readers on delete cascade,
  keyed boolean not null,
  awake boolean not null default true,
  until timestamptz not null,
  primary key (relation, reader)
);
comment on table service.change_leases is
  'The tables whose changes a gateway wants. keyed: with the keys of the rows, because a client waits for one row; awake: the gateway '
  'polls by itself and needs no notification; until: as of the reader.';
create index on service.change_leases (reader);

-- Rows come and go: vacuumed by their number, not by the share of a table that is mostly empty.
create unlogged table service.changes (
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  keys text[]
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0);
comment on table service.changes is
  'The outbox: statements that changed rows of leased tables. keys: of the rows, as text; null: not recorded.';
create index on service.changes (xid);

-- Read past any snapshot, and in half a microsecond: the triggers of tables are not even called while it has no value.
create sequence service.changes_asked;
comment on sequence service.changes_asked is
  'The leases of gateways, three bits a table (service_private.change_flags_at): its changes are wanted, with keys of rows, and with a '
  'notification. No value while there are no leases. Every writer of a table reads it.';
create sequence service.changes_asked_until;
comment on sequence service.changes_asked_until is 'When the last of those gateways counts as gone, in seconds since 1970.';

-- Which channels keep what is said there: `realtime.channels` of the settings file, as the last start had it.
create table service.channel_rules (
  place integer primary key,
  match text not null,
  most integer,
  life interval,
  check (most is not null or life is not null)
);
comment on table service.channel_rules is
  'Channels that keep their messages, the first match counts. match: a name, or how names begin with * at its end; most: how many; life: '
  'how long.';

create table service.channel_cursors (
  channel text primary key,
  seq bigint not null,
  prune_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
comment on table service.channel_cursors is
  'The last number of each channel that keeps messages; never deleted, so that no number comes twice. prune_at: when it is looked for '
  'what is too old, null while nothing is due.';
create index on service.channel_cursors (prune_at) where prune_at is not null;

create table service.channel_messages (
  channel text not null,
  seq bigint not null,
  at timestamptz(3) not null,
  event text not null,
  payload json not null,
  sender uuid,
  primary key (channel, seq)
);
comment on table service.channel_messages is
  'Messages of channels that keep them. sender: the socket that sent it, which does not receive it; null for service.broadcast.';

create table service.broadcasts (
  id bigint generated always as identity primary key,
  channel text not null,
  event text not null,
  payload json not null,
  kept boolean not null
);
comment on table service.broadcasts is
  'Messages of service.broadcast that no notification carries. kept: for a channel that keeps its messages, until a gateway has given it '
  'its number; else a message that is too large, until every gateway can have read it.';

-- Unlogged: after a crash every gateway says again who is present there.
create unlogged table service.channel_gateways (
  id uuid primary key,
  until timestamptz not null
);
comment on table service.channel_gateways is
  'Gateways whose channels are one (REALTIME_CHANNEL_BUS=postgres), one row a start. until: when it counts as gone, unless it says '
  'something before.';

create unlogged table service.channel_presences (
  channel text not null,
  id uuid not null,
  gateway uuid not null references service.channel_gateways on delete cascade,
  state json not null,
  primary key (channel, id)
);
comment on table service.channel_presences is 'The members present in a channel, by gateway: the id of a socket, and its state.';
create index on service.channel_presences (gateway);

-- Files: who may. `storage` of the settings file, as the last start had it.
create table service.storage_access (
  only_row boolean primary key default true check (only_row),
  given jsonb not null default '{}',
  authorizer text,
  has_policies boolean not null default false,
  open_for text[] not null default '{}'
);
comment on table service.storage_access is
  'One row. given: the argument of service_private.use_storage_rules, from which everything is made, policies and triggers too; '
  'authorizer: the function that has to agree to every action on files; has_policies: whether storage_policies has some; open_for: the '
  'operations for which anonymous callers are not rejected at once.';
insert into service.storage_access default values;

create table service.storage_policies (
  place integer primary key,
  path text not null,
  pattern text not null,
  names text[] not null,
  operations text[] not null,
  allow text not null check (allow in ('public', 'authenticated', 'function', 'row')),
  subject text,
  id text
);
comment on table service.storage_policies is
  'Policies of files by their keys; any that allows is enough, and where there are some, an action that none allows is refused. path: as '
  'written; pattern, names: of service_private.key_pattern; subject: the function, or the collection whose row decides; id: the name in '
  'the path that is its id.';

create table service.storage_triggers (
  place integer primary key,
  path text not null,
  pattern text not null,
  names text[] not null,
  events text[] not null,
  handler text not null
);
comment on table service.storage_triggers is
  'Functions that are told of files that were stored or deleted. path, pattern, names: as of storage_policies.';

create table service.storage_properties (
  collection text not null references service.collections on delete cascade,
  place integer not null,
  property text not null,
  source text not null,
  destination text,
  max_size bigint,
  accepted text[],
  bucket text not null default 'default',
  cleanup boolean not null default false,
  column_name text not null default '',
  sql_type text not null default '',
  json_path text not null default '',
  primary key (collection, place)
);
comment on table service.storage_properties is
  'The properties that hold files, at any depth, with their limits. property: a dotted path without places in arrays; destination: a '
  'pattern of the keys that are its files'', null where it has no path of its own; accepted: types and endings, null: any; cleanup: a '
  'file goes when no row names it; json_path: where they stand in the column, if that is JSON.';

create table service.storage_rows (
  collection text primary key references service.collections on delete cascade,
  version bigint not null,
  key_types jsonb not null,
  seen text not null,
  changed text
);
comment on table service.storage_rows is
  'The statements of policies about rows, as service_private.file_statements writes them, for the catalog of this version.';

-- Background jobs. A domain: a check of the table is read anew by each statement that writes a row (a fifth of a bare insert).
create domain service.job_status as text check (value in ('pending', 'running', 'succeeded', 'failed'));
create table service.jobs (
  id uuid primary key default gen_random_uuid(),
  place bigint not null generated always as identity,
  task text not null,
  payload jsonb not null default '{}',
  status service.job_status not null default 'pending',
  priority integer not null default 0,
  queue text,
  run_at timestamptz not null default now(),
  attempts integer not null default 0,
  max_attempts integer,
  result jsonb,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  locked_at timestamptz,
  locked_by text,
  idempotency_key text,
  concurrency_key text collate "C" not null default ''
);
comment on table service.jobs is
  'Background jobs, each run at least once (service.enqueue). place: the order of enqueueing, in which those of one queue run, one at a '
  'time; priority: larger ones first; attempts: how often it was begun; max_attempts: null until it is begun, where its enqueuer named '
  'none; locked_at, locked_by: when its worker claimed it or was last heard of, and which it is; '
  'idempotency_key: while it is not finished no other job has this key; concurrency_key: of a task''s jobs with the same a worker runs '
  'only some at once. Failed jobs stay for inspection.';
create index jobs_due on service.jobs (task, concurrency_key desc, priority desc, run_at, place) where status = 'pending';
create index jobs_over on service.jobs (status, updated_at) include (task) where status in ('succeeded', 'failed');
create index jobs_in_queue on service.jobs (queue, place) where queue is not null and status in ('pending', 'running');
-- Whatever is claimed at once, of a queue one job runs. It finds all that run, too.
create unique index jobs_running on service.jobs (queue) where status = 'running';
create unique index jobs_idempotency_key on service.jobs (idempotency_key)
  where status in ('pending', 'running') and idempotency_key is not null;

create view service.job_overview as
select j.task,
  count(*) filter (where j.status = 'pending') as pending,
  count(*) filter (where j.status = 'pending' and j.run_at <= now()) as due,
  count(*) filter (where j.status = 'running') as running,
  count(*) filter (where j.status = 'succeeded') as succeeded,
  count(*) filter (where j.status = 'failed') as failed,
  min(j.run_at) filter (where j.status = 'pending' and j.run_at <= now()) as oldest_due,
  (array_agg(j.last_error order by j.updated_at desc) filter (where j.last_error is not null))[1] as last_error
from service.jobs j
group by j.task;
comment on view service.job_overview is
  'Jobs by task, as long as they are kept. due: of those that are pending; oldest_due: since when the one that waits longest is due; '
  'last_error: of the job that failed last.';
revoke all on service.job_overview from public, service_user;

-- Unlogged: after a crash of the server every worker comes anew.
create unlogged table service.job_workers (
  id text primary key,
  asleep boolean not null,
  until timestamptz not null
);
comment on table service.job_workers is
  'Gateways that run jobs. asleep: it waits to be told of new ones; until: when it counts as gone, unless it says something before.';

-- Read past any snapshot: an enqueuer pays half a microsecond for it.
create sequence service.jobs_asleep;
comment on sequence service.jobs_asleep is
  'Has a value (is_called) while a worker of service.job_workers is asleep: who enqueues a job rings then, by a notification.';

-- Scheduled jobs.
create table service.cron_definitions (
  job_id text primary key,
  definition jsonb not null,
  defined_by text,
  defined_at timestamptz not null default clock_timestamp()
);
comment on table service.cron_definitions is
  'The scheduled jobs of the gateways that run, for the view service.cron_jobs. defined_by: the database session of the gateway whose '
  'settings have it; the row goes when that session is gone and another gateway starts or looks.';

create table service.cron_claims (
  job_id text not null,
  slot timestamptz not null,
  run_id uuid,
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (job_id, slot)
);
comment on table service.cron_claims is
  'The slots, each a scheduled minute, that a gateway took: one run a slot, however many gateways there are.';

create table service.cron_job_state (
  job_id text primary key,
  enabled boolean,
  updated_at timestamptz,
  updated_by text,
  running_until timestamptz,
  running_by text,
  run_id uuid,
  run_started_at timestamptz,
  run_manual boolean,
  total_runs bigint not null default 0,
  total_failures bigint not null default 0,
  last_run_at timestamptz,
  last_duration_ms bigint,
  last_error text
);
comment on table service.cron_job_state is
  'A scheduled job as all gateways see it. enabled: as service.cron_enable left it, null: as it is defined; updated_at, updated_by: since '
  'when, and the caller. running_*, run_*: the lease of the run that is under way; running_by: the database session that it ends with, '
  'running_until: when it ends at the latest.';

create table service.cron_logs (
  id bigint generated always as identity primary key,
  job_id text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  duration_ms bigint not null,
  success boolean not null,
  error text,
  result jsonb,
  logs jsonb not null default '[]',
  manual boolean not null
);
comment on table service.cron_logs is
  'The runs of scheduled jobs, those that were skipped too: 30 days, and at least the newest 50 of a job. logs: its lines, in order.';
create index cron_logs_newest on service.cron_logs (job_id, started_at desc, id desc);

-- Resumable uploads
create table service.storage_uploads (
  id uuid primary key,
  owner text,
  creator jsonb,
  source text not null,
  bucket text not null,
  key text not null,
  content_type text not null,
  metadata text not null,
  length bigint not null check (length > 0),
  received bigint not null default 0 check (received between 0 and length),
  held jsonb,
  holder uuid,
  claimant uuid,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  swept_at timestamptz
);
comment on table service.storage_uploads is
  'Uploads in pieces, by the tus protocol. owner: the account that may continue it; null: any caller that knows its id. creator: the '
  'account that is recorded as the uploader. metadata: as it was sent. received: how many of its bytes are durable; held: state of its '
  'store. holder: the request that writes now, which alone may change the two; claimant: the newest request that wants to, for which the '
  'holder gives way. finished_at: the file exists, the row only says so. swept_at: the last attempt to finish or remove it, or when it was '
  'first seen complete.';
-- Those that may be removed, the longest forgotten first.
create index on service.storage_uploads (coalesce(finished_at, created_at));

-- Webhooks: `webhooks` of the settings file, as the last start had it. Addresses, secrets and headers stay with the gateways.
create table service.webhooks (
  id text primary key,
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
  excluded text[] not null default '{}',
  open_parts jsonb,
  paused_at timestamptz(3)
);
comment on table service.webhooks is
  'The webhooks of the last start. given: what service_private.use_webhooks was given, from which the rest is made; columns: an update is '
  'told when one of these changed, null: any; relation, key, soft_delete, may_hold_json: of '
  'service_private.resolve_webhooks; excluded: columns that are '
  'not sent; open_parts: for each column with excluded parts SQL text of its value ($1) without them (both of '
  'service_private.exclude_columns); paused_at: the receiver answered 410, until a start or service.webhook_resume.';

create table service.webhook_deliveries (
  id uuid primary key,
  job_id uuid not null,
  webhook_id text not null,
  event_id uuid not null,
  attempt integer not null,
  status_code integer not null,
  response_body text,
  error text,
  duration_ms integer not null,
  at timestamptz(3) not null default clock_timestamp()
);
comment on table service.webhook_deliveries is
  'Attempts to deliver an event to a webhook, kept as long as their job. status_code: 0 where no answer came; response_body: its first '
  '1000 characters; error: why the attempt failed; at: its end.';
create index on service.webhook_deliveries (job_id);
create index on service.webhook_deliveries (webhook_id, at);

create function service_private.delete_deliveries() returns trigger language plpgsql as 'begin return null; end';
create trigger deliveries after delete on service.jobs
  referencing old table as gone_jobs for each statement execute function service_private.delete_deliveries();
create trigger deliveries_truncated after truncate on service.jobs
  for each statement execute function service_private.delete_deliveries();

-- The key begins with the series and the time: a history is read in the order in which it is shown.
create table service.metric_samples (
  series text not null,
  at timestamptz not null,
  instance text not null,
  value double precision not null,
  primary key (series, at, instance) include (value)
);
comment on table service.metric_samples is
  'A number of a gateway in a minute, kept for 14 days. series: cpu_millicores, memory_bytes, requests_total, errors_total or '
  'event_loop_delay_ms; at: the begin of the minute; instance: the gateway.';

-- The shape is a hash: its names together may be longer than a key.
create table service.slow_request_shapes (
  hour timestamptz not null,
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
  primary key (hour, shape)
);
comment on table service.slow_request_shapes is
  'Slow requests by hour and shape, without values; service.slow_requests shows them. slowest: {durationMs, waitedMs, databaseMs, rows, '
  'status, requestId}.';

create view service.slow_requests as
select s.hour, s.method, s.route, s.collection, s.filter, s.sort, s.include, s.requests, s.total_ms, s.total_ms / s.requests as mean_ms,
  r."durationMs" as slowest_ms, r."waitedMs" as waited_ms, r."databaseMs" as database_ms, r.rows, r.status, r."requestId" as request_id
from service.slow_request_shapes s
cross join lateral jsonb_to_record(s.slowest) r (
  "durationMs" double precision, "waitedMs" double precision, "databaseMs" double precision, rows bigint, status integer, "requestId" uuid)
where s.hour > now() - interval '7 days'
order by s.hour desc, s.total_ms desc;
comment on view service.slow_requests is
  'Requests that took SERVICE_SLOW_REQUEST_MS or longer, by hour and shape: the 100 shapes of each hour that took the most time in all, '
  'for 7 days. filter, sort, include: names that the requests used. requests, total_ms, mean_ms: of all of the shape; slowest_ms, the time '
  'that its statements waited for a connection (waited_ms) and that PostgreSQL was at them (database_ms), rows, status, request_id: of the '
  'slowest.';
revoke all on service.slow_requests from public, service_user;

-- A column that a collection excludes leaves no more from the same commit on.
create function service_private.exclude_changed_columns() returns trigger language plpgsql as 'begin return null; end';
create trigger excluded after insert or update or delete on service.properties
  for each statement execute function service_private.exclude_changed_columns();
