-- The verdict of the rules before any row is looked at. Policies of existing tables are SQL, for which this cannot be
-- derived.
create or replace function service_private.reading_roles(source text, definition jsonb) returns text[]
  language sql immutable parallel safe
begin atomic
  with rule as (
    select r.rule, r.rule ? 'roles' as limited
    from (
      select jsonb_path_query(definition, '$.securityRules[*]')
      union all
      select a.rule from service_private.account_rules(definition) a) r (rule)
    where r.rule ->> 'mode' is distinct from 'restrictive'
      and exists (select from service_private.rule_operations(r.rule) o where o.operation in ('select', 'all'))
      and (r.rule ?| array['ownerField', 'condition', 'using', 'roles'] or r.rule ->> 'access' = 'public')
  )
  select case when source = 'file' and not exists (select from rule r where not r.limited) then array(
      select distinct n.role from (
        select jsonb_array_elements_text(r.rule -> 'roles') as role from rule r
        union all
        select 'admin' where not coalesce((definition ->> 'disableDefaultPolicies')::boolean, false)
      ) n order by 1) end;
end;

comment on function service_private.reading_roles(text, jsonb) is
  'The roles of which a caller needs one to see any row of a collection with this source and definition, as far as its rules tell; '
  'null when they let others see some.';
