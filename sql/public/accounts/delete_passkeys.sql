create or replace function service.delete_passkeys(uid text, id text default null) returns boolean
  language plpgsql volatile as $$
begin
  delete from service.passkeys p where p.uid = delete_passkeys.uid and p.id = coalesce(delete_passkeys.id, p.id);
  return found;
end $$;

comment on function service.delete_passkeys(text, text) is
  'Takes a passkey, or all, from an account, its last way in too. Sessions go on (service.end_all_sessions). Whether there was one.';

-- Example: select service.delete_passkeys(uid) from service.users where email = 'ada@example.org';
