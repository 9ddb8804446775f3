create or replace function service_private.session_json(account service.users, session service.sessions) returns json
  language sql volatile
begin atomic
  select json_build_object('user', service_private.account_json(account, session.method),
    'session', json_build_object('id', session.id, 'aal', session.aal), 'claims', service_private.custom_claims(account, session));
end;

comment on function service_private.session_json(service.users, service.sessions) is
  'The parts of an access token: {user: service_private.account_json, session: {id, aal}, claims: service_private.custom_claims}.';
