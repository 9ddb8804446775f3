--! Previous: sha1:003271cdea8fa6481b7b903424c19b66c46e1972
--! Hash: sha1:d10fd5cc0ecdb1f54d30cdf02e8c3c48e8d06bd7

-- Their files have moved.
delete from service.sources where path ~ '^sql/auth/[^/]+\.sql$';

-- An audit can rest on its way.
drop function if exists service.audit() cascade;

-- Ends of sessions by name; what a token says of its session is text.
drop function if exists service.account(text, uuid) cascade;
drop function if exists service.end_sessions(text, uuid, uuid) cascade;
drop function if exists service.session_of_token(bytea) cascade;
drop function if exists service.sessions_of(text, uuid) cascade;

-- Whether a proof may remove identities is said with it.
drop function if exists service.prove_address(text, boolean, boolean) cascade;
drop function if exists service.prove_by_token(bytea, text) cascade;
drop function if exists service.reset_password(bytea, text) cascade;
drop function if exists service.confirm_email(bytea, text, boolean, boolean) cascade;
drop function if exists service.confirm_email_change(bytea, text) cascade;

-- Keys of services. What a key opens is stored as a hash; nobody but the owner reads the table.
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
  for each row execute function service.announce_account();

-- Accounts are changed by whoever outranks them.
drop function if exists service.create_managed_account(text, text, text, text, jsonb, text[], text) cascade;
drop function if exists service.delete_account(text, text) cascade;
drop function if exists service.update_account(text, text, text, text[], boolean, text) cascade;

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
  'address was proven by then (service.prove_address). last_time_step: the newest 30 seconds since the epoch whose code was taken; '
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

drop function if exists service.begin_email_change(text, text, bytea, interval) cascade;

-- What a project adds to accounts.
create table service.account_hooks (
  hook text primary key,
  function text not null
);
comment on table service.account_hooks is
  'The functions that take part where accounts are made, sign in and are deleted, as the settings file of the last start names them '
  '(service.use_account_hooks).';

drop function if exists service.create_account(text, text, text, text[], boolean, text) cascade;
