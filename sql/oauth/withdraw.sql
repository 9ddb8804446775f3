create or replace function service_private.withdraw(uid text, client_id text, reason text) returns boolean
  language plpgsql volatile as $$
begin
  delete from service.oauth_consents s where s.uid = withdraw.uid and s.client_id = withdraw.client_id;
  if not found then
    return false;
  end if;
  delete from service.oauth_codes c where c.uid = withdraw.uid and c.client_id = withdraw.client_id and c.consumed_at is null;
  update service.oauth_families f set revoked_at = clock_timestamp(), revoked_reason = reason
  where f.uid = withdraw.uid and f.client_id = withdraw.client_id and f.revoked_at is null;
  return true;
end $$;

comment on function service_private.withdraw(text, text, text) is
  'Withdraws what an account let a client do: its tokens are worth nothing from then on, for this reason. False where the account never '
  'let it in.';
