create or replace function service.end_all_sessions(uid text) returns void
  language sql volatile
begin atomic
  update service.users u set tokens_valid_after = clock_timestamp() where u.uid = end_all_sessions.uid;
  select service_private.end_other_sessions(end_all_sessions.uid, null);
  update service.oauth_families f set revoked_at = clock_timestamp(), revoked_reason = 'All sessions of the account were ended.'
  where f.uid = end_all_sessions.uid and f.revoked_at is null;
end;

comment on function service.end_all_sessions(text) is
  'Ends every session of an account, and invalidates every earlier token: access tokens of any issuer, those of OAuth clients, mailed '
  'links and codes, and a pending change of address.';

-- Example: select service.end_all_sessions(uid) from service.users where email = 'ada@example.org';
