-- A writer of account rows could become an admin: no rule of a file opens that, and none switches the gate off.
create or replace function service_private.account_rules(definition jsonb) returns table (suffix text, rule jsonb)
  language sql immutable parallel safe
begin atomic
  select '_default_self_read', jsonb_build_object('operation', 'select', 'ownerField', p.name)
  from jsonb_each(definition -> 'properties') p (name, declared)
  where service_private.holds_accounts(definition) and service_private.is_declared_key(p.declared)
    and definition -> 'disableDefaultPolicies' is distinct from 'true'
  union all
  select '_require_admin_write',
    '{"operations": ["insert", "update", "delete"], "mode": "restrictive", "condition": {"kind": "rolesOverlap", "roles": ["admin"]}}'
  where service_private.holds_accounts(definition);
end;

comment on function service_private.account_rules(jsonb) is
  'The security rules that an auth collection of this definition gets beside those of service_private.default_rules(): every account reads '
  'its own row, unless disableDefaultPolicies is set, and only admin writes. suffix: as there.';
