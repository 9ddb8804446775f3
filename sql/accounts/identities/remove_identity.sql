create or replace function service_private.remove_identity(uid text, session_id text, provider text, provider_id text default null)
  returns void
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.guarded_account(uid, session_id);
begin
  if not service.delete_identities(account.uid, provider, provider_id) then
    perform service.fail(404, 'NOT_FOUND', 'This account has no such identity.');
  end if;
  perform service_private.require_way_in(account.uid);
end $$;

comment on function service_private.remove_identity(text, text, text, text) is
  'A person takes an identity from his account; all of the provider''s without provider_id. GW403 ANONYMOUS_USER, AAL2_REQUIRED, GW404 '
  'NOT_FOUND, GW400 INVALID_ACCOUNT where no way in is left (service_private.require_way_in).';
