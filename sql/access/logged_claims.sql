-- A log has the uid and the roles of a caller. Scopes of a key and the kind of an account are those of now.
create or replace function service_private.logged_claims(uid text, roles text) returns jsonb
  language sql stable
begin atomic
  select case when logged_claims.uid in ('anonymous', 'service') then service.account_claims(logged_claims.uid)
    else jsonb_build_object('uid', logged_claims.uid, 'roles', logged_claims.roles, 'isAnonymous', a.claims -> 'isAnonymous', 'jwt',
      a.claims -> 'jwt' || jsonb_build_object('roles', r.roles) || coalesce((
        select jsonb_build_object('scopes', k.scopes) from service.api_keys k where k.uid = logged_claims.uid), '{}')) end
  from service.account_claims(logged_claims.uid) a (claims)
  cross join to_jsonb(string_to_array(nullif(logged_claims.roles, ''), ',')) r (roles);
end;

comment on function service_private.logged_claims(text, text) is
  'The claims of a caller whose uid and roles (a,b) a log entry has, for service.access; an API key with its scopes, none for one that is '
  'gone. Claims that its access token had besides are not known.';
