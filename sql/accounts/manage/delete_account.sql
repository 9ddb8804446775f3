create or replace function service_private.delete_account(uid text, by_uid text, rank jsonb default 'null') returns void
  language plpgsql volatile as $$
begin
  if uid = by_uid then
    perform service.fail(400, 'SELF_DELETE', 'An account cannot delete itself.');
  end if;
  perform service_private.managed_account(uid);
  perform service_private.require_rank(uid, '{}', rank);
  perform service_private.require_other_admin(uid);
  perform service_private.call_account_hook('before_user_delete', array[uid, by_uid]);
  delete from service.users u where u.uid = delete_account.uid;
end $$;

comment on function service_private.delete_account(text, text, jsonb) is
  'Deletes an account with its sessions and identities. by_uid: who does it. The hook before_user_delete may refuse. GW400 '
  'SELF_DELETE, GW404 USER_NOT_FOUND, GW403 LAST_ADMIN, and what service_private.require_rank refuses.';
