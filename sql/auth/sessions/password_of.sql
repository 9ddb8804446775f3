create or replace function service.password_of(uid text) returns text
  language sql stable
begin atomic
  select u.password_hash from service.users u where u.uid = password_of.uid;
end;

comment on function service.password_of(text) is 'The hash of an account''s password; null without one.';

revoke all on function service.password_of(text) from public;
