create or replace function service_private.reseal_factor(factor_id uuid, before bytea, sealed_secret bytea) returns void
  language sql volatile
begin atomic
  update service.mfa_factors f set sealed_secret = reseal_factor.sealed_secret where f.id = factor_id and f.sealed_secret = before;
end;

comment on function service_private.reseal_factor(uuid, bytea, bytea) is
  'Puts the secret of a factor, encrypted by another key, in the place of what it was encrypted as before.';
