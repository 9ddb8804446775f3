create or replace function service_private.password_of(uid text) returns text
  language sql stable
begin atomic
  select u.password_hash from service.users u where u.uid = password_of.uid;
end;

comment on function service_private.password_of(text) is 'The hash of an account''s password; null without one.';
