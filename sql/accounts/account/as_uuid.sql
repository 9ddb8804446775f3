create or replace function service_private.as_uuid(given text) returns uuid
  language sql immutable parallel safe
  return case when given ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then given::uuid end;

comment on function service_private.as_uuid(text) is 'A UUID from its usual text; null for what is none.';
