create or replace function service_private.passkeys_of(uid text) returns json
  language sql stable
begin atomic
  select coalesce(json_agg(service_private.passkey_json(p) order by p.created_at, p.id), '[]')
  from service.passkeys p
  where p.uid = passkeys_of.uid;
end;

comment on function service_private.passkeys_of(text) is 'The passkeys of an account, the oldest first: service_private.passkey_json.';
