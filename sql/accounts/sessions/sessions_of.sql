create or replace function service_private.sessions_of(uid text, current_session text) returns json
  language sql stable
begin atomic
  select coalesce(json_agg(json_build_object('id', s.id, 'userAgent', s.user_agent, 'ipAddress', s.ip_address,
    'createdAt', service_private.iso_time(s.started_at), 'lastUsedAt', service_private.iso_time(s.last_used_at),
    'isCurrentSession', s.id is not distinct from service_private.as_uuid(current_session)) order by s.started_at desc, s.id), '[]')
  from service.sessions s
  where s.uid = sessions_of.uid and s.revoked_at is null and s.expires_at > clock_timestamp();
end;

comment on function service_private.sessions_of(text, text) is
  'The sessions of an account that are not over, the newest first: [{id, userAgent, ipAddress, createdAt, lastUsedAt, isCurrentSession}].';
