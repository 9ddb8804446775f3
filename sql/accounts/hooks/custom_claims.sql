create or replace function service_private.custom_claims(account service.users, session service.sessions) returns jsonb
  language plpgsql volatile as $$
declare
  own constant jsonb := jsonb_build_object('uid', account.uid, 'sub', account.uid, 'roles', account.roles, 'aal', session.aal,
    'sid', session.id, 'isAnonymous', account.is_anonymous);
  answer constant jsonb := coalesce(service_private.call_account_hook('customize_claims', array[own::text, account.uid]), '{}');
begin
  if jsonb_typeof(answer) <> 'object' or octet_length(answer::text) > 4096 then
    raise exception 'The hook customize_claims has to return an object of at most 4096 bytes.' using errcode = 'internal_error';
  end if;
  return answer - array(select jsonb_object_keys(own)) - '{iat,exp,nbf,jti,purpose}'::text[];
end $$;

comment on function service_private.custom_claims(service.users, service.sessions) is
  'The claims that the hook customize_claims adds to the access tokens of a session; it cannot change the service''s own claims.';
