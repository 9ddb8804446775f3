create or replace function service.password_of_token(token_hash bytea, purpose text) returns text
  language sql stable
begin atomic
  select u.password_hash
  from service.one_time_tokens t join service.users u on u.uid = t.uid
  where t.token_hash = password_of_token.token_hash and t.purpose = password_of_token.purpose;
end;

comment on function service.password_of_token(bytea, text) is
  'The hash of the password of the account that what was mailed (SHA-256 of it) belongs to; null without one.';

revoke all on function service.password_of_token(bytea, text) from public;
