-- Mail scanners follow a link by GET too: it takes nothing away, and can be followed again.
create or replace function service_private.verify_email(token_hash bytea, session_uid text) returns text
  language plpgsql volatile as $$
declare
  account service.users;
begin
  perform service_private.take_guest_link(token_hash, session_uid);
  account := service_private.account_of_token(token_hash);
  if not exists (
    select from service.one_time_tokens t
    where t.token_hash = verify_email.token_hash and t.purpose = 'verification' and t.expires_at > clock_timestamp()
      and service_private.is_current(t, account))
  then
    perform service_private.refuse_token(token_hash, '{verification,guest-link}');
  end if;
  update service.users u set email_verified = true, updated_at = clock_timestamp() where u.uid = account.uid and not u.email_verified;
  if account.uid = session_uid then
    perform service_private.prove_address(account.uid, true, true);
  end if;
  return account.uid;
end $$;

comment on function service_private.verify_email(bytea, text) is
  'Marks an address verified, by its verification link (SHA-256 of its token), and returns the uid. Followed in a session of the account '
  '(session_uid) the link also proves the address, and everything stays. A guest''s link first makes the account '
  '(service_private.take_guest_link). Refuses as service_private.redeem_token, except that a used link is taken again.';
