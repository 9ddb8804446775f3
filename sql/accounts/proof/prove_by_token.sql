create or replace function service_private.prove_by_token(token_hash bytea, purpose text, unlinks boolean default true) returns text
  language plpgsql volatile as $$
declare
  owner constant text := (service_private.redeem_token(token_hash, array[purpose])).uid;
begin
  perform service_private.prove_address(owner, unlinks => prove_by_token.unlinks);
  return owner;
end $$;

comment on function service_private.prove_by_token(bytea, text, boolean) is
  'Takes a mailed link or code (SHA-256 of it; purpose: magic-link or otp), which proves the address of its account (service.'
  'prove_address). The uid. Refuses as service_private.redeem_token and '
  'service_private.remove_unproven_identities (unlinks).';
