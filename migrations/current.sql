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
  'address was verified by then (service.prove_address). last_time_step: the newest 30 seconds since the epoch whose code was taken; '
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
