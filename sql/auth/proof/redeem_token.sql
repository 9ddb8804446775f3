-- One statement takes it: of two that come at once one finds it used.
create or replace function service.redeem_token(token_hash bytea, purposes text[]) returns text
  language plpgsql volatile as $$
declare
  taken service.one_time_tokens;
begin
  update service.one_time_tokens t set used_at = clock_timestamp()
  where t.token_hash = redeem_token.token_hash and t.purpose = any (purposes) and t.used_at is null and t.expires_at > clock_timestamp()
  returning t.* into taken;
  if taken.uid is null then
    perform service.refuse_token(token_hash, purposes);
  end if;
  return taken.uid;
end $$;

comment on function service.redeem_token(bytea, text[]) is
  'Takes what was mailed (SHA-256 of it), for the last time, and returns whose it is. GW400 INVALID_TOKEN of an unknown one, GW401 '
  'TOKEN_EXPIRED, TOKEN_ALREADY_USED.';

revoke all on function service.redeem_token(bytea, text[]) from public;
