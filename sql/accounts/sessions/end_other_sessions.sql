create or replace function service_private.end_other_sessions(uid text, session_id text) returns void
  language sql volatile
begin atomic
  update service.sessions s set revoked_at = clock_timestamp()
  where s.uid = end_other_sessions.uid and s.id is distinct from service_private.as_uuid(session_id) and s.revoked_at is null;
end;

comment on function service_private.end_other_sessions(text, text) is
  'Ends every session of an account but this one (null: every one). Their tokens are worth nothing from then on.';
