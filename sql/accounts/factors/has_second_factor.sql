create or replace function service_private.has_second_factor(uid text) returns boolean
  language sql stable
begin atomic
  select exists (select from service.mfa_factors f where f.uid = has_second_factor.uid and f.verified_at is not null);
end;

comment on function service_private.has_second_factor(text) is 'Whether an account signs in with a second factor: it has a verified one.';
