create or replace function service_private.user_info(uid text, scope text) returns jsonb
  language sql stable
begin atomic
  select jsonb_strip_nulls(jsonb_build_object('sub', u.uid)
    || case when 'email' = any (s.scopes) and a.address is not null
      then jsonb_build_object('email', a.address, 'email_verified', u.email_verified) else '{}' end
    || case when 'profile' = any (s.scopes) then jsonb_build_object('name', u.display_name, 'picture', u.photo_url) else '{}' end)
  from service.users u
  cross join string_to_array(user_info.scope, ' ') s (scopes)
  cross join service_private.told_address(u.email) a (address)
  where u.uid = user_info.uid;
end;

comment on function service_private.user_info(text, text) is
  'The claims about an account that these scopes (separated by blanks) give: {sub}, by email {email, email_verified}, by profile {name, '
  'picture}; without those that it has not. Null where there is no such account.';
