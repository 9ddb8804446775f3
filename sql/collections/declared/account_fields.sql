-- Times and origin of an account, which no request may set, are not written here either.
create or replace function service_private.account_fields() returns table (n integer, name text, column_name text, property jsonb)
  language sql immutable parallel safe
begin atomic
  values
    (1, 'email', 'email',
      '{"type": "string", "email": true, "validation": {"required": true, "trim": true, "max": 255}}'::jsonb),
    (2, 'displayName', 'display_name', '{"type": "string", "validation": {"max": 255}}'),
    (3, 'photoURL', 'photo_url', '{"type": "string", "url": true, "validation": {"max": 2048}}'),
    (4, 'roles', 'roles', '{"type": "array", "of": {"type": "string"}, "defaultValue": [], "validation": {"required": true}}'),
    (5, 'emailVerified', 'email_verified',
      '{"type": "boolean", "defaultValue": true, "validation": {"required": true}, "access": {"write": []}}'),
    (6, 'isAnonymous', 'is_anonymous',
      '{"type": "boolean", "defaultValue": false, "validation": {"required": true}, "access": {"write": []}}'),
    (7, 'disabled', 'disabled', '{"type": "boolean", "defaultValue": false, "validation": {"required": true}}'),
    (8, 'metadata', 'metadata', '{"type": "map", "keyValue": true, "defaultValue": {}, "validation": {"required": true}}'),
    (9, 'createdAt', 'created_at', '{"type": "date", "autoValue": "on_create"}'),
    (10, 'updatedAt', null, '{"type": "date", "autoValue": "on_update"}');
end;

comment on function service_private.account_fields() is
  'The properties that every auth collection has, with the columns of service.users that they show; updatedAt is the row''s own.';
