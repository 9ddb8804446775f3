create or replace function service_private.remove_unproven_identities(uid text, address text, unlinks boolean default true) returns text[]
  language plpgsql volatile as $$
declare
  removed text[];
begin
  with gone as (
    delete from service.user_identities i
    where i.uid = remove_unproven_identities.uid and not i.is_proven
      and (i.email_verified and service_private.normal_email(i.email) = address) is not true
    returning i.provider
  )
  select coalesce(array_agg(g.provider order by g.provider), '{}') into removed from gone g;
  if removed <> '{}' and not unlinks then
    perform service.fail(409, 'UNVERIFIED_IDENTITIES',
      'Another person may have linked these before the address was confirmed; ask an admin.',
      jsonb_build_object('providers', removed));
  end if;
  return removed;
end $$;

comment on function service_private.remove_unproven_identities(text, text, boolean) is
  'Takes from an account what it is at providers that do not vouch for the address, unless its person has proven it; returns their names. '
  'unlinks: auth.unlinkIdentities of the settings; without it GW409 UNVERIFIED_IDENTITIES {providers}.';
