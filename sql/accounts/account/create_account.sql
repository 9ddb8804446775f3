create or replace function service_private.create_account(
  email text, password_hash text, display_name text, roles text[], is_verified boolean default false, uid text default null,
  photo_url text default null, metadata jsonb default null, is_guest boolean default false) returns text
  language plpgsql volatile as $$
declare
  wanted service.users;
  made service.users;
begin
  wanted.uid := coalesce(create_account.uid, gen_random_uuid()::text);
  wanted.email := service_private.require_email(create_account.email);
  wanted.display_name := create_account.display_name;
  wanted.photo_url := create_account.photo_url;
  wanted.metadata := coalesce(create_account.metadata, '{}');
  wanted.roles := create_account.roles;
  wanted.is_anonymous := is_guest;
  wanted.email_verified := is_verified;
  wanted := service_private.before_user_create(wanted);
  insert into service.users (
    uid, email, password_hash, password_proven, display_name, photo_url, metadata, roles, is_anonymous, email_verified)
  values (wanted.uid, wanted.email, create_account.password_hash, is_verified, wanted.display_name, wanted.photo_url, wanted.metadata,
    wanted.roles, is_guest, is_verified)
  on conflict do nothing
  returning * into made;
  if made.uid is null then
    perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address, or this uid, exists already.');
  end if;
  perform service_private.after_user_create(made);
  return made.uid;
end $$;

comment on function service_private.create_account(text, text, text, text[], boolean, text, text, jsonb, boolean) is
  'Makes an account and returns its uid. is_verified: the address is known to be this person''s; uid: the one that they '
  'have elsewhere. GW400 INVALID_INPUT as service_private.require_email; GW409 EMAIL_EXISTS, of a uid that is taken as well; refuses as '
  'service_private.before_user_create.';
