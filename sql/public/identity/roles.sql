create or replace function service.roles() returns text
  language sql stable parallel safe
  return coalesce(current_setting('app.user_roles', true), '');

comment on function service.roles() is
  'The caller''s roles as a comma list; '''' for none and outside a request. In a policy: ''admin'' = any (string_to_array((select '
  'service.roles()), '','')).';

grant execute on function service.roles() to service_user;

-- Example: select 'editor' = any (string_to_array(service.roles(), ','));
