create or replace function service_private.kept_settings(more text[] default '{}') returns jsonb
  language sql stable
begin atomic
  select jsonb_object_agg(s.name, coalesce(current_setting(s.name, true), ''))
  from unnest('{role,app.uid,app.user_roles,app.is_anonymous,app.jwt,request.jwt.claims}' || more) s (name);
end;

comment on function service_private.kept_settings(text[]) is
  'The settings that service.enter and the role of requests change in a session, and the settings of these names, for '
  'service_private.restore_settings: {name: value}, '''' for one that is not set.';
