-- Two files of one slug: the first counts, and service_private.slug_problems tells of the other.
create or replace function service_private.declared_collections(project jsonb) returns setof service.collections
  language sql stable
begin atomic
  with declared as (
    select distinct on (f.file #>> '{definition,slug}')
      service_private.with_account(service_private.with_key(f.file -> 'definition')) as definition,
      f.file -> 'broken' as broken
    from jsonb_array_elements(project -> 'collections') with ordinality f (file, n)
    order by f.file #>> '{definition,slug}', f.n
  ), named as (
    select d.definition ->> 'slug' as slug, d.*,
      jsonb_array_length(coalesce(d.definition -> 'securityRules', '[]')) = 0
        and jsonb_array_length(coalesce(project -> 'defaults', '[]')) > 0 as ruled_by_default
    from declared d
  )
  select n.slug, 'file', coalesce(n.definition ->> 'name', service_private.humanize(btrim(service_private.snake_case(n.slug), '_'))),
    coalesce(n.definition ->> 'singularName',
      service_private.humanize(btrim(service_private.snake_case(service_private.singular(n.slug)), '_'))),
    n.definition ->> 'description', coalesce(n.definition ->> 'schema', 'public'),
    coalesce(n.definition ->> 'table', service_private.snake_case(n.slug)), '{id}'::text[],
    coalesce((n.definition -> 'exposed')::boolean, true), coalesce((n.definition -> 'readOnly')::boolean, false),
    coalesce((n.definition -> 'strictWrites')::boolean, true),
    coalesce((
      select jsonb_object_agg(c.hook, case jsonb_typeof(c.called) when 'object' then c.called -> 'function' else c.called end)
      from jsonb_each(n.definition -> 'callbacks') c (hook, called)), '{}'),
    n.definition - 'admin' - '$schema'
      || jsonb_build_object(
        'properties', (
          select jsonb_object_agg(p.name, p.declared - 'admin')
          from jsonb_each(n.definition -> 'properties') p (name, declared)),
        'disableDefaultPolicies', coalesce(n.definition -> 'disableDefaultPolicies', 'false'),
        'securityRules', service_private.normal_rules(
          case when n.ruled_by_default then project -> 'defaults' else coalesce(n.definition -> 'securityRules', '[]') end),
        'indexes', coalesce(n.definition -> 'indexes', '[]'))
      || jsonb_strip_nulls(jsonb_build_object(
        'securityRulesFrom', case when n.ruled_by_default then n.slug || ', by _defaults.json: defaultSecurityRules' end,
        'broken', nullif(n.broken, '[]')))
      || case when n.definition ? 'search' then jsonb_build_object('search', service_private.normal_search(n.definition -> 'search'))
        else '{}' end
      || case when n.definition ? 'tenant'
        then jsonb_build_object('tenant', '{"bypassRoles": ["admin"]}'::jsonb || (n.definition -> 'tenant')) else '{}' end
  from named n;
end;

comment on function service_private.declared_collections(jsonb) is
  'The rows of service.collections that a project (service_private.define_collections) asks for; the key is that of its properties, which '
  'come after them.';
