-- The account is locked first: a change of its address or its generation that runs at the same time is waited for, and seen.
create or replace function service_private.redeem_token(token_hash bytea, purposes text[]) returns service.one_time_tokens
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.account_of_token(token_hash);
  taken service.one_time_tokens;
begin
  update service.one_time_tokens t set used_at = clock_timestamp()
  where t.token_hash = redeem_token.token_hash and t.purpose = any (purposes) and t.used_at is null and t.expires_at > clock_timestamp()
    and service_private.is_current(t, account)
  returning t.* into taken;
  if taken.uid is null then
    perform service_private.refuse_token(token_hash, purposes);
  end if;
  return taken;
end $$;

comment on function service_private.redeem_token(bytea, text[]) is
  'Takes a mailed token (SHA-256 of it) for the last time, and returns it. GW400 INVALID_TOKEN for an unknown one and for one that '
  'no longer fits its account (service_private.is_current), GW401 TOKEN_EXPIRED, TOKEN_ALREADY_USED.';
