create or replace function service_private.require_second_factor(uid text, session_id text) returns void
  language plpgsql stable as $$
begin
  if not exists (
    select from service.sessions s
    where s.id = service_private.as_uuid(session_id) and s.uid = require_second_factor.uid and s.aal = 'aal2' and s.revoked_at is null)
  then
    perform service.fail(403, 'AAL2_REQUIRED', 'Confirm this by your second factor first.');
  end if;
end $$;

comment on function service_private.require_second_factor(text, text) is
  'GW403 AAL2_REQUIRED unless this session of the account began with a second factor.';
