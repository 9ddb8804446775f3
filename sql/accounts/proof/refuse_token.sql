create or replace function service_private.refuse_token(token_hash bytea, purposes text[]) returns void
  language plpgsql stable as $$
declare
  known service.one_time_tokens;
begin
  select t.* into known from service.one_time_tokens t where t.token_hash = refuse_token.token_hash and t.purpose = any (purposes);
  if known.used_at is not null then
    perform service.fail(401, 'TOKEN_ALREADY_USED', 'The link was used already.');
  elsif known.expires_at <= clock_timestamp() then
    perform service.fail(401, 'TOKEN_EXPIRED', 'The link has expired. Ask for a new one.');
  else
    perform service.fail(400, 'INVALID_TOKEN', 'The link is not known, or no longer good. Ask for a new one.');
  end if;
end $$;

comment on function service_private.refuse_token(bytea, text[]) is
  'Says why a mailed token is not taken; see service_private.redeem_token.';
