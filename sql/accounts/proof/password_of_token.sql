create or replace function service_private.password_of_token(token_hash bytea) returns text
  language plpgsql volatile as $$
declare
  purposes constant text[] := '{verification,guest-link}';
  account constant service.users := service_private.account_of_token(token_hash);
  token service.one_time_tokens;
begin
  select t.* into token
  from service.one_time_tokens t
  where t.token_hash = password_of_token.token_hash and t.purpose = any (purposes) and t.used_at is null
    and t.expires_at > clock_timestamp() and service_private.is_current(t, account);
  if token.uid is null then
    perform service_private.refuse_token(token_hash, purposes);
  end if;
  perform service_private.before_login(coalesce(token.new_address, account.email), 'login');
  return coalesce(token.password_hash, account.password_hash);
end $$;

comment on function service_private.password_of_token(bytea) is
  'The hash of the password of the account that a verification link (SHA-256 of its token) belongs to, or that it gives to a guest; null '
  'without one. Refuses as service_private.redeem_token.';
