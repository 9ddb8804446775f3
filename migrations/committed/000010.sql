--! Previous: sha1:94466ee612ba27b0ada04d4a1f0fe4cc9ef73de9
--! Hash: sha1:44713d0ff2ef5314348c984974b5f18dc67e21d3

-- It returns what was left out.
drop function if exists service.introspect(text, text);
-- Others take their place: service.row_keys.
drop function if exists service.row_key(oid);
drop function if exists service.view_key(oid);

-- An address has one form, whichever statement writes it: service.normal_email, which lower() of the database's locale is not.
alter table service.users drop constraint users_email_check;
create or replace function service.normal_email(email text) returns text language sql immutable as 'select email';
alter table service.users add constraint users_email_check check (email is not distinct from service.normal_email(email));
comment on table service.users is
  'The accounts of people. uid: a UUID, or the id that an imported account has elsewhere. email: in its normal form '
  '(service.normal_email). password_hash: a PHC string of argon2id, null without a password. password_proven: whether the address was '
  'proven when the password was set. tokens_valid_after: the account''s generation; access tokens of before are refused '
  '(service.account_standing), and one-time tokens of another one are worth nothing (service.is_current).';

-- A change of address that waits is its one-time token, and ends with it.
alter table service.users drop column pending_email;

-- Tokens of before say nothing of what they were made for.
delete from service.one_time_tokens;
alter table service.one_time_tokens
  add column address text not null,
  add column generation timestamptz,
  add column new_address text,
  add column password_hash text,
  add column session_id uuid references service.sessions on delete cascade,
  drop constraint one_time_tokens_purpose_check,
  add constraint one_time_tokens_purpose_check check (
    purpose in ('password-reset', 'invitation', 'verification', 'magic-link', 'otp', 'email-change', 'guest-link')),
  add constraint one_time_tokens_new_address_check check ((purpose in ('email-change', 'guest-link')) = (new_address is not null)),
  add constraint one_time_tokens_password_hash_check check (password_hash is null or purpose = 'guest-link');
create index on service.one_time_tokens (session_id) where session_id is not null;
comment on table service.one_time_tokens is
  'SHA-256 hashes of mailed links and codes. address, generation: email and tokens_valid_after of the account that the token was made '
  'for; session_id: the session that asked for a change of address. The token is worth nothing once one of them differs or the session '
  'is over (service.is_current). new_address, password_hash: the account''s once the token is redeemed. A used token stays until it '
  'expires, so that it can be told from an unknown one.';

drop function if exists service.issue_token(text, text, bytea, interval) cascade;
drop function if exists service.redeem_token(bytea, text[]) cascade;
drop function if exists service.verify_email(bytea, text) cascade;
drop function if exists service.password_of_token(bytea, text) cascade;
drop function if exists service.reachable_account(text) cascade;
drop function if exists service.begin_email_change(text, text, text, bytea, interval) cascade;

-- Files that rows let go of are judged as their writer, before the row is written.
drop function if exists service.is_file_named(text, text, text[]);
drop function if exists service.release_files(text, text, text[], text[]);
drop function if exists service.file_destination(jsonb);
drop function if exists service.wanted_releases(service.wanted_table[]);
