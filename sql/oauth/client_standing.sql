create or replace function service_private.client_standing(uid text, family_id text, issued_at numeric) returns jsonb
  language plpgsql stable as $$
declare
  standing constant jsonb := service_private.account_standing(uid, null, issued_at);
begin
  perform from service.oauth_families f
  where f.id = service_private.as_uuid(family_id) and f.uid = client_standing.uid and f.revoked_at is null;
  if not found then
    perform service.fail(401, 'SESSION_REVOKED', 'The consent behind this token was withdrawn, or its tokens were revoked.');
  end if;
  return standing;
end $$;

comment on function service_private.client_standing(text, text, numeric) is
  'The current standing of an OAuth client''s access token of this account, family and time of issue: as '
  'service_private.account_standing, for a family in the place of a session.';
