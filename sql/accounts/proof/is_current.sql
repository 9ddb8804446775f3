create or replace function service_private.is_current(token service.one_time_tokens, account service.users) returns boolean
  language sql stable
begin atomic
  select token.uid = account.uid and token.address = account.email
    and token.generation is not distinct from account.tokens_valid_after
    and (token.session_id is null or exists (
      select from service.sessions s where s.id = token.session_id and s.revoked_at is null and s.expires_at > clock_timestamp()));
end;

comment on function service_private.is_current(service.one_time_tokens, service.users) is
  'Whether a mailed token still fits its account: the address and the generation that it was made for are the account''s, and the session '
  'that asked for it is not over. Says nothing of its use and its time.';
