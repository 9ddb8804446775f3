create or replace function service.claim(name text) returns text
  language sql stable parallel safe
  return case when jsonb_typeof(service.jwt() -> name) in ('string', 'number') then nullif(service.jwt() ->> name, '') end;

comment on function service.claim(text) is
  'A claim of the caller''s token that is text or a number; null for any other, a blank one, and outside a request. In a policy: '
  '(select service.claim(''org_id'')).';

grant execute on function service.claim(text) to service_user;

-- Example: select service.claim('org_id');
