create or replace function service.account(uid text, session_id uuid) returns jsonb
  language plpgsql stable as $$
declare
  found jsonb := (
    select service.account_json(u, coalesce(s.method, 'password')) || jsonb_build_object('pendingEmail', u.pending_email)
    from service.users u
    left join service.sessions s on s.id = session_id and s.uid = u.uid
    where u.uid = account.uid);
begin
  if found is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no account of this caller.');
  end if;
  return found;
end $$;

comment on function service.account(text, uuid) is
  'An account as its person sees it (service.account_json, with pendingEmail, the address that waits to be confirmed). GW404 NOT_FOUND.';

revoke all on function service.account(text, uuid) from public;
