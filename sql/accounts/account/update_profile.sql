create or replace function service_private.update_profile(uid text, display_name text, photo_url text) returns void
  language sql volatile
begin atomic
  update service.users u set display_name = coalesce(update_profile.display_name, u.display_name),
    photo_url = coalesce(update_profile.photo_url, u.photo_url), updated_at = clock_timestamp()
  where u.uid = update_profile.uid;
end;

comment on function service_private.update_profile(text, text, text) is 'Updates the profile of an account. Null leaves a part as it is.';
