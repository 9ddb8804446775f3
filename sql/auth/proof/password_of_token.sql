create or replace function service.password_of_token(token_hash bytea, purpose text) returns text
  language plpgsql volatile as $$
declare
  account service.users;
begin
  select u.* into account
  from service.one_time_tokens t
  join service.users u on u.uid = t.uid
  where t.token_hash = password_of_token.token_hash and t.purpose = password_of_token.purpose and t.used_at is null
    and t.expires_at > clock_timestamp();
  if account.uid is null then
    perform service.refuse_token(token_hash, array[purpose]);
  end if;
  perform service.before_login(account.email, 'login');
  return account.password_hash;
end $$;

comment on function service.password_of_token(bytea, text) is
  'The hash of the password of the account that a mailed link (SHA-256 of its token) belongs to; null without one. Refuses as '
  'service.redeem_token.';

revoke all on function service.password_of_token(bytea, text) from public;
