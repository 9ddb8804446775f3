-- Only the newest token of a purpose counts: a mail that is asked for again makes the older one worthless. The recipient comes from
-- here, so that no mail goes to an address that a request spells.
create or replace function service_private.issue_token(
  uid text, purpose text, token_hash bytea, lifetime interval, new_address text default null, password_hash text default null,
  session_id text default null) returns table (email text, display_name text)
  language plpgsql volatile as $$
begin
  delete from service.one_time_tokens t
  where t.uid = issue_token.uid
    and ((t.purpose = issue_token.purpose and t.used_at is null) or t.expires_at < clock_timestamp() - interval '1 day');
  -- Two accounts cannot have one token; of codes the address is a part.
  return query
  with made as (
    insert into service.one_time_tokens as t (
      token_hash, uid, purpose, expires_at, address, generation, new_address, password_hash, session_id)
    select issue_token.token_hash, u.uid, issue_token.purpose, clock_timestamp() + lifetime, u.email, u.tokens_valid_after,
      issue_token.new_address, issue_token.password_hash, service_private.as_uuid(issue_token.session_id)
    from service.users u where u.uid = issue_token.uid
    on conflict on constraint one_time_tokens_pkey do update
    set used_at = null, created_at = excluded.created_at, expires_at = excluded.expires_at, address = excluded.address,
      generation = excluded.generation
    where t.uid = excluded.uid and t.purpose = excluded.purpose
    returning t.uid, coalesce(t.new_address, t.address) as recipient
  )
  select m.recipient, u.display_name from made m join service.users u on u.uid = m.uid;
end $$;

comment on function service_private.issue_token(text, text, bytea, interval, text, text, text) is
  'Keeps the hash (SHA-256) of a token for so long, and returns its recipient: the stored address of the account, or the new_address that '
  'it proves. purpose: password-reset, invitation, verification, magic-link, otp, email-change or guest-link; password_hash: of a '
  'guest who is to have a password; session_id: the session that the token ends with. No row without an account.';
