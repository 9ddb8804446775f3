-- The columns are named here once more, since the tables that are there may be wrong. A test compares them with the migrations.
create or replace function service_private.account_schema_faults() returns text[]
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with expected (name, columns) as (
    values
      ('account_hooks', array['hook text', 'function text']),
      ('api_keys', array['id uuid', 'uid text', 'name text', 'key_hash bytea', 'key_prefix text', 'scopes text[]', 'roles text[]',
        'rate_limit integer', 'created_by text', 'created_at timestamp(3) with time zone', 'updated_at timestamp(3) with time zone',
        'last_used_at timestamp(3) with time zone', 'expires_at timestamp(3) with time zone', 'revoked_at timestamp(3) with time zone']),
      ('mfa_challenges', array['id uuid', 'factor_id uuid', 'wrong_codes smallint', 'tokens_valid_after timestamp with time zone',
        'expires_at timestamp(3) with time zone', 'verified_at timestamp(3) with time zone']),
      ('mfa_factors', array['id uuid', 'uid text', 'factor_type text', 'friendly_name text', 'sealed_secret bytea',
        'is_proven boolean', 'last_time_step bigint', 'next_recovery_codes bytea[]', 'created_at timestamp(3) with time zone',
        'verified_at timestamp(3) with time zone']),
      ('one_time_tokens', array['token_hash bytea', 'uid text', 'purpose text', 'created_at timestamp(3) with time zone',
        'expires_at timestamp(3) with time zone', 'used_at timestamp(3) with time zone', 'address text',
        'generation timestamp with time zone', 'new_address text', 'password_hash text', 'session_id uuid']),
      ('passkey_challenges', array['challenge_hash bytea', 'uid text', 'expires_at timestamp(3) with time zone']),
      ('passkey_users', array['uid text', 'handle bytea']),
      ('passkeys', array['id text', 'uid text', 'public_key bytea', 'counter bigint', 'transports text[]', 'is_backed_up boolean',
        'friendly_name text', 'is_proven boolean', 'created_at timestamp(3) with time zone', 'last_used_at timestamp(3) with time zone']),
      ('recovery_codes', array['uid text', 'code_hash bytea']),
      ('refresh_tokens', array['token_hash bytea', 'session_id uuid', 'issued_at timestamp(3) with time zone',
        'expires_at timestamp(3) with time zone', 'rotated_at timestamp(3) with time zone']),
      ('sessions', array['id uuid', 'uid text', 'method text', 'aal text', 'user_agent text', 'ip_address text',
        'started_at timestamp(3) with time zone', 'last_used_at timestamp(3) with time zone', 'expires_at timestamp(3) with time zone',
        'revoked_at timestamp(3) with time zone']),
      ('user_identities', array['provider text', 'provider_id text', 'uid text', 'email text', 'email_verified boolean',
        'is_proven boolean', 'profile jsonb', 'created_at timestamp(3) with time zone']),
      ('users', array['uid text', 'email text', 'display_name text', 'photo_url text', 'roles text[]', 'password_hash text',
        'password_proven boolean', 'is_anonymous boolean', 'email_verified boolean', 'disabled boolean', 'metadata jsonb',
        'tokens_valid_after timestamp with time zone', 'created_at timestamp(3) with time zone',
        'updated_at timestamp(3) with time zone'])
  ),
  found as (
    select e.name, e.columns, to_regclass('service.' || e.name) as id
    from expected e
  ),
  faults as (
    select f.name, 0 as place, format('service.%s is missing', f.name) as fault
    from found f
    where f.id is null
    union all
    select f.name, w.place,
      case
        when a.attname is null then format('service.%s.%s is missing', f.name, w.name)
        else format('service.%s.%s is of type %s, not %s', f.name, w.name, format_type(a.atttypid, a.atttypmod), w.type)
      end
    from found f
    cross join lateral (
      select c.place, split_part(c.definition, ' ', 1) as name, regexp_replace(c.definition, '^\S+ ', '') as type
      from unnest(f.columns) with ordinality c (definition, place)) w
    left join pg_attribute a on a.attrelid = f.id and a.attname = w.name and not a.attisdropped
    where f.id is not null and format_type(a.atttypid, a.atttypmod) is distinct from w.type
  )
  select coalesce(array_agg(f.fault order by f.name, f.place), '{}')
  from faults f;
end;

comment on function service_private.account_schema_faults() is
  'How the tables of accounts differ from those that the service needs, in words: tables and columns that are missing, and types. Further '
  'columns are none of its business. Empty where all are as they should be.';
