create or replace function service.withdraw_oauth_consent(uid text, client_id text) returns boolean
  language sql volatile
begin atomic
  select service_private.withdraw(uid, client_id, 'An operator withdrew the consent.');
end;

comment on function service.withdraw_oauth_consent(text, text) is
  'Withdraws for an account what it let a client do: the client''s tokens for it end at once, at every gateway. The account may let it in '
  'again. False where it has not let it in.';

-- Example: select service.withdraw_oauth_consent(uid, client_id) from service.oauth_consent_overview where email = 'ada@example.org';
