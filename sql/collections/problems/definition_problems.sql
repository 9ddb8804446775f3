create or replace function service_private.definition_problems(project jsonb) returns table (path text, problem text, warning boolean)
  language plpgsql volatile as $$
#variable_conflict use_column
begin
  return query
  with unreadable as (
    select coalesce(service_private.texts(project -> 'unreadable'), '{}') as slugs
  )
  select distinct p.path, p.problem, false
  from unreadable u
  cross join lateral (
    select * from service_private.slug_problems(project)
    union all select * from service_private.key_problems()
    union all select * from service_private.property_problems()
    union all select * from service_private.relation_problems(u.slugs)
    union all select * from service_private.link_problems()
    union all select * from service_private.junction_problems()
    union all select * from service_private.via_problems()
    union all select * from service_private.tenant_problems(u.slugs)
    union all select * from service_private.mask_problems()
    union all select * from service_private.soft_delete_problems()
    union all select * from service_private.account_problems()
    union all select * from service_private.index_problems()
    union all select * from service_private.search_problems()
    union all select * from service_private.rule_problems()
    union all select * from service_private.name_problems()
    union all select * from service_private.table_problems()
    union all select * from service_private.expression_problems()) p
  union all
  select w.path, w.warning, true from service_private.rule_warnings() w;
end $$;

comment on function service_private.definition_problems(jsonb) is
  'Problems of the project that service_private.store_collections has put into the catalog.';
