-- Other callers that write rows of the auth collection are admins (service_private.account_rules). The roles of a key open rows only: its
-- scopes
-- say which accounts it may change.
create or replace function service_private.require_key_rank(uid text, given text[]) returns void
  language plpgsql volatile as $$
begin
  if service_private.key_scopes() is not null then
    perform service_private.require_key_scope('users:write');
    perform service_private.require_rank(uid, given,
      coalesce(nullif(service.jwt() -> 'rank', 'null'), '{"roles": [], "scopes": [], "declared": {}}'));
  end if;
end $$;

comment on function service_private.require_key_rank(text, text[]) is
  'Judges an API key that changes an account, or gives it roles, through a row of the auth collection, as the account routes judge it. '
  'The gateway puts the rank into the claims of a key that has users:write; without it the rank is the lowest. GW403 API_KEY_FORBIDDEN, '
  'and what service_private.require_rank refuses.';
