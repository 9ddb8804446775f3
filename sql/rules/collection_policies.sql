create or replace function service.collection_policies()
  returns table (schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[], using_clause text, check_clause text, origin text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with rule as (
    select t.*, t.table_name as stem, a.suffix, a.rule, 'the default for ' || c.slug as origin
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join service.admin_rules() a
    where not coalesce((c.definition ->> 'disableDefaultPolicies')::boolean, false)
    union all
    select t.*, coalesce(r.rule ->> 'name', t.table_name), case when r.rule ? 'name' then '' end, r.rule, format('%s.securityRules[%s]', c.slug, r.n - 1)
    from service.wanted_tables() t
    join service.collections c on c.slug = t.collection
    cross join jsonb_array_elements(case jsonb_typeof(c.definition -> 'securityRules') when 'array' then c.definition -> 'securityRules' else '[]' end) with ordinality r (rule, n)
  )
  select r.schema_name, r.table_name, r.oid, r.stem, r.suffix || case when o.several then '_' || o.operation else '' end,
    r.rule ->> 'mode' is distinct from 'restrictive', o.operation,
    array(select jsonb_array_elements_text(case jsonb_typeof(r.rule -> 'pgRoles') when 'array' then r.rule -> 'pgRoles' else '["public"]' end)),
    case when o.operation <> 'insert' then service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'using') end,
    case when o.operation in ('insert', 'update', 'all') then service.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'check') end,
    r.origin
  from rule r
  cross join service.rule_operations(r.rule) o;
end;

comment on function service.collection_policies() is
  'The policies that the security rules of collection files ask for, and the default ones. suffix is null where the name is made from the meaning.';

revoke all on function service.collection_policies() from public;
