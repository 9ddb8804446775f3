create or replace function service_private.begin_passkey(uid text, session_id text, challenge_hash bytea) returns json
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.guarded_account(uid, session_id);
begin
  perform service_private.keep_passkey_challenge(challenge_hash, account.uid);
  insert into service.passkey_users (uid) values (account.uid) on conflict do nothing;
  return json_build_object('email', account.email, 'displayName', account.display_name,
    'handle', (select encode(h.handle, 'hex') from service.passkey_users h where h.uid = account.uid),
    'passkeys', (
      select coalesce(json_agg(json_build_object('id', p.id, 'transports', p.transports)), '[]')
      from service.passkeys p
      where p.uid = account.uid));
end $$;

comment on function service_private.begin_passkey(text, text, bytea) is
  'A person is about to make a passkey: {email, displayName, handle (hex), passkeys: [{id, transports}], those that exist}. Refuses as '
  'service_private.guarded_account.';
