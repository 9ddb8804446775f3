create or replace function service_private.require_pending_sign_in(uid text, tokens_valid_after text) returns void
  language plpgsql stable as $$
declare
  account service.users;
begin
  select u.* into account from service.users u where u.uid = require_pending_sign_in.uid;
  if account.uid is null or account.disabled then
    perform service.fail(401, 'UNAUTHORIZED', 'The account of this token is not there, or disabled.');
  elsif service_private.epoch_text(account.tokens_valid_after) is distinct from require_pending_sign_in.tokens_valid_after then
    perform service.fail(401, 'SESSION_REVOKED', 'This sign-in was ended; begin again.');
  end if;
end $$;

comment on function service_private.require_pending_sign_in(text, text) is
  'Whether a sign-in that waits for its second factor still holds. tokens_valid_after: that of the account when it began, as '
  'service_private.begin_session told it. GW401 UNAUTHORIZED of an account that is not there or disabled, SESSION_REVOKED.';
