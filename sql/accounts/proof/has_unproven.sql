create or replace function service_private.has_unproven(account service.users) returns boolean
  language sql stable
begin atomic
  select not account.email_verified or (account.password_hash is not null and not account.password_proven)
    or exists (select from service.user_identities i where i.uid = account.uid and not i.is_proven)
    or exists (select from service.mfa_factors f where f.uid = account.uid and not f.is_proven)
    or exists (select from service.passkeys p where p.uid = account.uid and not p.is_proven);
end;

comment on function service_private.has_unproven(service.users) is
  'Whether parts of an account may belong to another person: its address was not proven since it was set (service_private.prove_address). '
  'A verified address is not enough, since mail scanners follow links too.';
