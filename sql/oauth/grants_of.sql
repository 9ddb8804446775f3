create or replace function service_private.grants_of(uid text) returns json
  language sql stable
begin atomic
  select coalesce(json_agg(json_build_object('clientId', s.client_id, 'clientName', coalesce(c.client_name, 'A client that is gone'),
    'scope', s.scope, 'grantedAt', service_private.iso_time(s.granted_at), 'activeTokens', (
      select count(*) from service.oauth_families f
      where f.uid = s.uid and f.client_id = s.client_id and f.revoked_at is null and f.expires_at > clock_timestamp()))
    order by s.granted_at desc, s.client_id), '[]')
  from service.oauth_consents s
  left join service.oauth_clients c on c.client_id = s.client_id
  where s.uid = grants_of.uid;
end;

comment on function service_private.grants_of(text) is
  'The clients that an account has let in, the newest first: [{clientId, clientName, scope, grantedAt, activeTokens}].';
