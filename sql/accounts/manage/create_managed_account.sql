create or replace function service_private.create_managed_account(
  email text, password_hash text, display_name text, photo_url text, metadata jsonb, roles text[],
  uid text default null, rank jsonb default 'null') returns json
  language plpgsql volatile as $$
declare
  made text;
begin
  perform service_private.require_rank(null, roles, rank);
  made := service_private.create_account(email, password_hash, display_name, coalesce(roles, '{}'), true, uid, photo_url, metadata);
  return service_private.managed_account(made);
end $$;

comment on function service_private.create_managed_account(text, text, text, text, jsonb, text[], text, jsonb) is
  'Creates an account for a person whose address is known to be theirs, as service_private.managed_account_json. GW409 EMAIL_EXISTS, and '
  'the errors of service_private.require_rank.';
