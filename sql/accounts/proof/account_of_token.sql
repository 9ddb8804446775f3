create or replace function service_private.account_of_token(token_hash bytea) returns service.users
  language plpgsql volatile as $$
declare
  account service.users;
begin
  select u.* into account from service.users u
  where u.uid = (select t.uid from service.one_time_tokens t where t.token_hash = account_of_token.token_hash) for update;
  return account;
end $$;

comment on function service_private.account_of_token(bytea) is
  'The account of a mailed token (SHA-256 of it), locked; null for an unknown token.';
