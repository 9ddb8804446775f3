create or replace function service_private.account(uid text, session_id text) returns json
  language plpgsql stable as $$
declare
  found json := (
    select service_private.account_json(u, coalesce(s.method, 'password'))
    from service.users u
    left join service.sessions s on s.id = service_private.as_uuid(session_id) and s.uid = u.uid
    where u.uid = account.uid);
begin
  if found is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no account of this caller.');
  end if;
  return found;
end $$;

comment on function service_private.account(text, text) is
  'An account as its person sees it, in this session (service_private.account_json). GW404 NOT_FOUND.';
