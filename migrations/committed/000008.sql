--! Previous: sha1:003271cdea8fa6481b7b903424c19b66c46e1972
--! Hash: sha1:edffff53deafe18a3d182433191b5da7a5a145e9

-- An audit can rest on its way.
drop function if exists service.audit() cascade;

-- Ends of sessions by name; what a token says of its session is text.
drop function if exists service.account(text, uuid) cascade;
drop function if exists service.end_sessions(text, uuid, uuid) cascade;
drop function if exists service.session_of_token(bytea) cascade;
drop function if exists service.sessions_of(text, uuid) cascade;

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
