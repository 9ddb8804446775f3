create or replace function service.delete_identities(uid text, provider text, provider_id text default null) returns boolean
  language plpgsql volatile as $$
begin
  delete from service.user_identities i
  where i.uid = delete_identities.uid and i.provider = delete_identities.provider
    and i.provider_id = coalesce(delete_identities.provider_id, i.provider_id);
  return found;
end $$;

comment on function service.delete_identities(text, text, text) is
  'Takes an identity from an account, without provider_id all that it has at the provider, its last way in too. Sessions go on '
  '(service.end_all_sessions). Whether there was one.';

-- Example: select service.delete_identities(uid, 'github') from service.users where email = 'ada@example.org';
