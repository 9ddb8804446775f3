create or replace function service.jwt() returns jsonb
  language sql stable parallel safe
  return coalesce(nullif(current_setting('app.jwt', true), '')::jsonb, '{}'::jsonb);

comment on function service.jwt() is
  'The caller''s verified claims: custom claims of the token, with sub, roles and is_anonymous written by the service. {} outside '
  'a request. In a policy: (select service.jwt()) ->> ''org_id''.';

grant execute on function service.jwt() to service_user;

-- Example: select service.jwt() ->> 'sub';
