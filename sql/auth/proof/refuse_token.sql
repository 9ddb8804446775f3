create or replace function service.refuse_token(token_hash bytea, purposes text[]) returns void
  language plpgsql stable as $$
declare
  known service.one_time_tokens;
begin
  select t.* into known from service.one_time_tokens t where t.token_hash = refuse_token.token_hash and t.purpose = any (purposes);
  if known.uid is null then
    perform service.fail(400, 'INVALID_TOKEN', 'The link is not known. Ask for a new one.');
  elsif known.used_at is not null then
    perform service.fail(401, 'TOKEN_ALREADY_USED', 'The link was used already.');
  else
    perform service.fail(401, 'TOKEN_EXPIRED', 'The link has expired. Ask for a new one.');
  end if;
end $$;

comment on function service.refuse_token(bytea, text[]) is 'Says why what was mailed is not taken; see service.redeem_token.';

revoke all on function service.refuse_token(bytea, text[]) from public;
