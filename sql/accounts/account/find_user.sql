create or replace function service_private.find_user(email text) returns json
  language sql stable
begin atomic
  select json_build_object('uid', u.uid, 'displayName', u.display_name, 'photoURL', u.photo_url)
  from service.users u where u.email = service_private.normal_email(find_user.email) and not u.is_anonymous and not u.disabled;
end;

comment on function service_private.find_user(text) is
  'The account with this address: {uid, displayName, photoURL}; null when there is none.';
