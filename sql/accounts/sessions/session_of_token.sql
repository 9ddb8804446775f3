create or replace function service_private.session_of_token(refresh_hash bytea) returns table (uid text, session_id text)
  language sql stable
begin atomic
  select s.uid, s.id::text from service.refresh_tokens t join service.sessions s on s.id = t.session_id where t.token_hash = refresh_hash;
end;

comment on function service_private.session_of_token(bytea) is 'The session of a refresh token (SHA-256), and whose it is.';
