create or replace function service_private.unverified_factor(uid text, session_id text, factor_id text) returns service.mfa_factors
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.guarded_account(uid, session_id);
  found service.mfa_factors;
begin
  select f.* into found from service.mfa_factors f where f.id = service_private.as_uuid(factor_id) and f.uid = account.uid;
  if found.id is null then
    perform service.fail(404, 'NOT_FOUND', 'This account has no such factor.');
  elsif found.verified_at is not null then
    perform service.fail(400, 'ALREADY_VERIFIED', 'This factor is verified already.');
  end if;
  return found;
end $$;

comment on function service_private.unverified_factor(text, text, text) is
  'A factor that waits for its first code, its account locked. Refuses as service_private.guarded_account; GW404 NOT_FOUND, GW400 '
  'ALREADY_VERIFIED.';
