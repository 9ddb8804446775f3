create or replace function service.prove_by_token(token_hash bytea, purpose text) returns text
  language plpgsql volatile as $$
declare
  owner constant text := service.redeem_token(token_hash, array[purpose]);
begin
  perform service.prove_address(owner);
  return owner;
end $$;

comment on function service.prove_by_token(bytea, text) is
  'Takes a mailed link or code (SHA-256 of it; purpose: magic-link or otp), which proves the address of its account (service.'
  'prove_address). The uid. Refuses as service.redeem_token.';

revoke all on function service.prove_by_token(bytea, text) from public;
