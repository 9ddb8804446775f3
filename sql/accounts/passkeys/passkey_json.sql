create or replace function service_private.passkey_json(passkey service.passkeys) returns json
  language sql stable
begin atomic
  select json_build_object('id', passkey.id, 'friendlyName', passkey.friendly_name,
    'createdAt', service_private.iso_time(passkey.created_at), 'lastUsedAt', service_private.iso_time(passkey.last_used_at),
    'backedUp', passkey.is_backed_up);
end;

comment on function service_private.passkey_json(service.passkeys) is
  'A passkey as its person sees it: {id, friendlyName, createdAt, lastUsedAt, backedUp}.';
