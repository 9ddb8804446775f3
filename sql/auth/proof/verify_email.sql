-- Following a link by GET is what mail scanners do as well: it takes nothing away, and it can be followed again.
create or replace function service.verify_email(token_hash bytea, session_uid text) returns void
  language plpgsql volatile as $$
declare
  owner text;
begin
  select t.uid into owner
  from service.one_time_tokens t
  where t.token_hash = verify_email.token_hash and t.purpose = 'verification' and t.expires_at > clock_timestamp();
  if owner is null then
    perform service.refuse_token(token_hash, '{verification}');
  end if;
  update service.users u set email_verified = true, updated_at = clock_timestamp() where u.uid = owner and not u.email_verified;
  if owner = session_uid then
    perform service.prove_address(owner, true, true);
  end if;
end $$;

comment on function service.verify_email(bytea, text) is
  'A verification link (SHA-256 of its token) was opened: the address is marked verified. Opened in a session of the account '
  '(session_uid) it is also proven, and everything stays. Refuses as service.redeem_token, but for one that was used.';

revoke all on function service.verify_email(bytea, text) from public;
