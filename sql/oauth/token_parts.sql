create or replace function service_private.token_parts(account service.users, family service.oauth_families) returns jsonb
  language sql volatile
begin atomic
  select jsonb_build_object('uid', account.uid, 'roles', account.roles, 'familyId', family.id, 'aal', family.aal,
    'clientId', family.client_id, 'scope', family.scope,
    'authTime', floor(extract(epoch from family.signed_in_at)), 'claims',
    service_private.custom_claims(account,
      jsonb_populate_record(null::service.sessions, jsonb_build_object('id', family.id, 'aal', family.aal))));
end;

comment on function service_private.token_parts(service.users, service.oauth_families) is
  'The parts of an access token of an OAuth client: {uid, roles, familyId, aal, clientId, scope, authTime: seconds, null where '
  'it is not known; claims: service_private.custom_claims, as for a session with this aal}.';
