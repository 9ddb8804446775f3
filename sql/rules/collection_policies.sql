create or replace function service_private.collection_policies(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, stem text, suffix text, permissive boolean, operation text, roles text[],
    using_clause text, check_clause text, origin text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with ruled as (
    select t.*, c.definition from unnest(wanted_tables) t join service.collections c on c.slug = t.collection
  ), rule as (
    select t.*, t.table_name as stem, d.suffix, d.rule, 'the default for ' || t.collection as origin
    from ruled t
    cross join service_private.default_rules() d
    where not coalesce((t.definition ->> 'disableDefaultPolicies')::boolean, false)
    union all
    select t.*, t.table_name, a.suffix, a.rule, 'the accounts of ' || t.collection
    from ruled t
    cross join service_private.account_rules(t.definition) a
    union all
    select t.*, coalesce(r.rule ->> 'name', t.table_name), case when r.rule ? 'name' then '' end, r.rule,
      format('%s.securityRules[%s]', t.collection, r.n - 1)
    from ruled t
    cross join jsonb_path_query(t.definition, '$.securityRules[*]') with ordinality r (rule, n)
  ), judged as materialized (
    select r.*, service_private.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'using') as stored,
      case when r.rule ?| array['check', 'withCheck'] then
        service_private.rule_predicate(r.collection, quote_ident(r.table_name), r.rule, 'check') end as written
    from rule r
  ), wanted as (
    select r.*, o.*, r.rule ->> 'mode' is distinct from 'restrictive' as permissive,
      quote_ident(r.table_name) || '.' || quote_ident(r.soft_delete) as stamp,
      case jsonb_typeof(r.rule -> 'pgRoles') when 'array' then array(select jsonb_array_elements_text(r.rule -> 'pgRoles'))
        else '{public}' end as roles,
      case when o.operation <> 'insert' then r.stored end as using_clause
    from judged r
    cross join service_private.rule_operations(r.rule) o
  )
  select r.schema_name, r.table_name, r.oid, r.stem, r.suffix || case when r.several then '_' || r.operation else '' end,
    r.permissive, r.operation, r.roles, r.using_clause,
    case when r.operation in ('insert', 'update', 'all') then coalesce(r.written, r.stored) end,
    r.origin
  from wanted r
  union all
  -- A soft delete is an UPDATE, and the rules of deleting decide it, not those of updating: who may delete may leave a row stamped,
  select r.schema_name, r.table_name, r.oid, r.stem, null, r.permissive, 'update', r.roles,
    case when r.permissive then r.using_clause else 'true' end,
    format(case when r.permissive then '%s is not null and (%s)' else '%s is null or (%s)' end, r.stamp, r.using_clause),
    r.origin
  from wanted r
  where r.soft_delete is not null and r.operation = 'delete'
  union all
  -- and all other callers may not.
  select r.schema_name, r.table_name, r.oid, r.table_name, null, false, 'update', array['public'], 'true',
    format('%s is null or (%s)', r.stamp, string_agg(distinct '(' || r.using_clause || ')', ' or ')), 'softDelete of ' || r.collection
  from wanted r
  where r.soft_delete is not null and r.operation in ('delete', 'all') and r.permissive
  group by r.schema_name, r.table_name, r.oid, r.stamp, r.collection;
end $$;

comment on function service_private.collection_policies(service_private.wanted_table[]) is
  'The policies that the security rules of collection files ask for, and the default ones. suffix is null where the name is made '
  'from the meaning.';
