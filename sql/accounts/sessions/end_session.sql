create or replace function service_private.end_session(uid text, session_id text) returns void
  language sql volatile
begin atomic
  update service.sessions s set revoked_at = clock_timestamp()
  where s.id = service_private.as_uuid(session_id) and s.uid = end_session.uid and s.revoked_at is null;
end;

comment on function service_private.end_session(text, text) is
  'Ends a session of an account; nothing that is none, or another account''s. Its tokens are worth nothing from then on.';
