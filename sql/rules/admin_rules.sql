create or replace function service.admin_rules() returns table (suffix text, rule jsonb)
  language sql immutable parallel safe
begin atomic
  values
    ('_default_admin_read', '{"operation": "select", "roles": ["admin"]}'::jsonb),
    ('_default_admin_write', '{"operations": ["insert", "update", "delete"], "roles": ["admin"]}'::jsonb);
end;

comment on function service.admin_rules() is 'The rules that every table of a collection file gets unless disableDefaultPolicies is set, with the ending of their names.';

revoke all on function service.admin_rules() from public;
