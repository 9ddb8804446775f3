create or replace function service.delete_factors(uid text, factors uuid[] default null) returns boolean
  language plpgsql volatile as $$
declare
  is_done boolean;
begin
  delete from service.mfa_factors f
  where f.uid = delete_factors.uid and (factors is null or f.id = any (factors));
  is_done := found;
  if not service_private.has_second_factor(uid) then
    delete from service.recovery_codes c where c.uid = delete_factors.uid;
  end if;
  return is_done;
end $$;

comment on function service.delete_factors(text, uuid[]) is
  'Takes these second factors, or all, from an account, with the last verified one its recovery codes. Whether there was one.';

-- Example: select service.delete_factors(uid) from service.users where email = 'ada@example.org';
