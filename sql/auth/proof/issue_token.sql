-- Of a purpose the newest counts: a mail that was asked for again makes the older one worthless.
create or replace function service.issue_token(uid text, purpose text, token_hash bytea, lifetime interval) returns void
  language plpgsql volatile as $$
begin
  delete from service.one_time_tokens t
  where t.uid = issue_token.uid
    and ((t.purpose = issue_token.purpose and t.used_at is null) or t.expires_at < clock_timestamp() - interval '1 day');
  -- Two accounts cannot have one token; of codes the address is a part.
  insert into service.one_time_tokens (token_hash, uid, purpose, expires_at)
  values (issue_token.token_hash, issue_token.uid, issue_token.purpose, clock_timestamp() + lifetime)
  on conflict on constraint one_time_tokens_pkey do update
  set used_at = null, created_at = excluded.created_at, expires_at = excluded.expires_at
  where one_time_tokens.uid = excluded.uid and one_time_tokens.purpose = excluded.purpose;
end $$;

comment on function service.issue_token(text, text, bytea, interval) is
  'Keeps the hash (SHA-256) of what is mailed to the address of an account, for so long. purpose: password-reset, invitation, '
  'verification, magic-link, otp or email-change.';

revoke all on function service.issue_token(text, text, bytea, interval) from public;
