-- An audit can rest on its way.
drop function if exists service.audit() cascade;

-- Ends of sessions by name; what a token says of its session is text.
drop function if exists service.account(text, uuid) cascade;
drop function if exists service.end_sessions(text, uuid, uuid) cascade;
drop function if exists service.session_of_token(bytea) cascade;
drop function if exists service.sessions_of(text, uuid) cascade;
