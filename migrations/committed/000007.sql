--! Previous: sha1:e087f97712c27a72f07e2af93f896f58a13b13a0
--! Hash: sha1:003271cdea8fa6481b7b903424c19b66c46e1972

create type service.wanted_table as (
  schema_name text,
  table_name text,
  collection text,
  key text[],
  read_only boolean,
  soft_delete text,
  oid oid
);
comment on type service.wanted_table is
  'A table that collection files ask for: that of a collection, or a junction of many-to-many relations (collection is null). key: the '
  'columns of its key; soft_delete: its column of deletion; oid is null while there is none.';

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
comment on type service.wanted_column is
  'A column that collection files ask for. attnum is null while the table (relation) has none of that name; type is null for a vector '
  'where the server has no pgvector.';

-- What is wanted is asked once a plan, and handed to its parts.
drop function if exists service.collection_policies() cascade;
drop function if exists service.junction_policies() cascade;
drop function if exists service.tenant_policies() cascade;
drop function if exists service.wanted_policies() cascade;
drop function if exists service.callbacks() cascade;
drop function if exists service.wanted_columns() cascade;
drop function if exists service.wanted_foreign_keys() cascade;
drop function if exists service.wanted_history() cascade;
drop function if exists service.wanted_indexes() cascade;
drop function if exists service.wanted_search_columns() cascade;
drop function if exists service.wanted_stamps() cascade;
drop function if exists service.wanted_tables() cascade;
drop function if exists service.wanted_tenants() cascade;
drop function if exists service.plan_callbacks() cascade;
drop function if exists service.plan_columns() cascade;
drop function if exists service.plan_enums() cascade;
drop function if exists service.plan_foreign_keys() cascade;
drop function if exists service.plan_grants() cascade;
drop function if exists service.plan_indexes() cascade;
drop function if exists service.plan_policies() cascade;
drop function if exists service.plan_row_security() cascade;
drop function if exists service.plan_schemas() cascade;
drop function if exists service.plan_search() cascade;
drop function if exists service.plan_tables() cascade;

-- Accounts. What a credential opens is stored as a hash; nobody but the owner reads any of these tables.
create table service.users (
  uid text primary key default gen_random_uuid()::text check (
    char_length(uid) between 1 and 128 and uid = btrim(uid) and uid not in ('service', 'anonymous', 'anon') and uid !~ '^api-key:'),
  email text not null check (email = lower(btrim(email)) and char_length(email) between 3 and 320),
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
  pending_email text check (pending_email = lower(btrim(pending_email))),
  tokens_valid_after timestamptz,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  unique (email)
);
comment on table service.users is
  'The accounts of people. uid: a UUID, or whatever an account that was brought from elsewhere has. email: trimmed and in lower case. '
  'password_hash: a PHC string of argon2id, null without a password. '
  'password_proven: whether who set the password had shown by then that the address is theirs. tokens_valid_after: access tokens of '
  'before are refused (service.account_standing).';
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
  'What accounts are at other providers. email_verified: whether the provider vouches for that address; is_proven: whether it was linked '
  'by somebody who had shown that the account''s address is theirs.';
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
  purpose text not null check (purpose in ('password-reset', 'invitation', 'verification', 'magic-link', 'otp', 'email-change')),
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
comment on table service.one_time_tokens is
  'SHA-256 hashes of what was mailed to the address of an account, a link or a code. A used one stays until it expires, so that it can be '
  'told from an unknown one.';
create index on service.one_time_tokens (uid, purpose);

-- What a token is worth hangs on these. A trigger, so that a DBA's own statement is heard of as well.
create function service.announce_account() returns trigger language plpgsql as 'begin return null; end';
create trigger announced after update of roles, disabled, is_anonymous, tokens_valid_after or delete on service.users
  for each row execute function service.announce_account();
create trigger announced after update of revoked_at on service.sessions
  for each row when (new.revoked_at is not null) execute function service.announce_account();

-- Counts that a crash may lose. The free half of a page is for updates in place, which are nearly all that happens here.
create unlogged table service.rate_limits (
  key text collate "C" primary key,
  seconds bigint[] not null,
  counts integer[] not null,
  last_second bigint not null
) with (fillfactor = 50);

comment on table service.rate_limits is
  'What rate limits have allowed: for each key, a hash of limiter and subject, the seconds since the epoch with their counts.';

create index rate_limits_last_second on service.rate_limits (last_second);
