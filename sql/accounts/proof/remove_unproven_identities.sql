create or replace function service_private.remove_unproven_identities(uid text, address text, unlinks boolean default true) returns text[]
  language plpgsql volatile as $$
declare
  unproven constant text[] := array(
    select i.provider from service.user_identities i
    where i.uid = remove_unproven_identities.uid and not i.is_proven
      and not (i.email_verified and service_private.normal_email(i.email) = address)
    order by i.provider);
begin
  if unproven <> '{}' and not unlinks then
    perform service.fail(409, 'UNVERIFIED_IDENTITIES',
      'Another person may have linked these before the address was confirmed; ask an admin.',
      jsonb_build_object('providers', unproven));
  end if;
  delete from service.user_identities i
  where i.uid = remove_unproven_identities.uid and not i.is_proven and i.provider = any (unproven);
  return unproven;
end $$;

comment on function service_private.remove_unproven_identities(text, text, boolean) is
  'Takes from an account what it is at providers that do not vouch for the address, unless its person has proven it; returns their names. '
  'unlinks: auth.unlinkIdentities of the settings; without it GW409 UNVERIFIED_IDENTITIES {providers}.';
