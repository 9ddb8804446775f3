create or replace function service.passkeys(uid text)
  returns table (id text, friendly_name text, is_backed_up boolean, is_proven boolean, created_at timestamptz, last_used_at timestamptz)
  language sql stable
begin atomic
  select p.id, p.friendly_name, p.is_backed_up, p.is_proven, p.created_at, p.last_used_at
  from service.passkeys p
  where p.uid = passkeys.uid
  order by p.created_at, p.id;
end;

comment on function service.passkeys(text) is
  'The passkeys of an account, the oldest first. is_backed_up: whether it lives on several devices; is_proven: whether the account''s '
  'address was proven by then.';

-- Example: select p.* from service.users u cross join lateral service.passkeys(u.uid) p where u.email = 'ada@example.org';
