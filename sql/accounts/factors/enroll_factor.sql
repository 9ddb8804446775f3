-- Repeated enrolments displace the oldest attempts.
create or replace function service_private.enroll_factor(
  uid text, session_id text, friendly_name text, sealed_secret bytea, recovery_codes bytea[]) returns json
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.guarded_account(uid, session_id);
  made service.mfa_factors;
begin
  delete from service.mfa_factors f
  where f.id in (
    select t.id from service.mfa_factors t
    where t.uid = account.uid and t.verified_at is null
    order by t.created_at desc, t.id offset 9);
  insert into service.mfa_factors (uid, friendly_name, sealed_secret, is_proven, next_recovery_codes)
  values (account.uid, enroll_factor.friendly_name, enroll_factor.sealed_secret,
    not service_private.has_unproven(account), enroll_factor.recovery_codes)
  returning * into made;
  return json_build_object('factor', service_private.factor_json(made), 'email', account.email);
end $$;

comment on function service_private.enroll_factor(text, text, text, bytea, bytea[]) is
  'Keeps a second factor that an account is to have: its encrypted secret, and SHA-256 hashes of the recovery codes that come with it. '
  'Both count once service_private.verify_factor was answered. {factor: service_private.factor_json, email}. Refuses as '
  'service_private.guarded_account.';
