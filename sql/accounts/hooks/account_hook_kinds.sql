create or replace function service_private.account_hook_kinds() returns table (hook text, arguments text[], result text)
  language sql immutable parallel safe
begin atomic
  values
    ('before_user_create', '{jsonb}'::text[], 'jsonb'),
    ('before_login', '{text,text}', 'void'),
    ('customize_claims', '{jsonb,text}', 'jsonb'),
    ('after_user_create', '{jsonb}', 'void'),
    ('before_user_delete', '{text,text}', 'void');
end;

comment on function service_private.account_hook_kinds() is 'The hooks of accounts, and the types that their functions take and return.';
