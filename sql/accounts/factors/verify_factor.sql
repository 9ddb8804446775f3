create or replace function service_private.verify_factor(uid text, session_id text, factor_id text, time_step bigint) returns void
  language plpgsql volatile as $$
declare
  factor constant service.mfa_factors := service_private.unverified_factor(uid, session_id, factor_id);
begin
  delete from service.recovery_codes c where c.uid = factor.uid;
  insert into service.recovery_codes (uid, code_hash) select distinct factor.uid, h from unnest(factor.next_recovery_codes) h;
  update service.mfa_factors f set verified_at = clock_timestamp(), last_time_step = time_step, next_recovery_codes = '{}'
  where f.id = factor.id;
end $$;

comment on function service_private.verify_factor(text, text, text, bigint) is
  'The first code of a factor was right (time_step: the 30 seconds since the epoch that it is of). From now on the account signs in with a '
  'second factor, and the recovery codes that came with this one take the place of those before. Refuses as '
  'service_private.unverified_factor.';
