create or replace function service.definition_problems(project jsonb) returns table (path text, problem text, warning boolean)
  language plpgsql volatile as $$
#variable_conflict use_column
begin
  return query
  with unreadable as (
    select coalesce(service.texts(project -> 'unreadable'), '{}') as slugs
  )
  select distinct p.path, p.problem, false
  from unreadable u
  cross join lateral (
    select * from service.slug_problems(project)
    union all select * from service.key_problems()
    union all select * from service.property_problems()
    union all select * from service.relation_problems(u.slugs)
    union all select * from service.link_problems()
    union all select * from service.junction_problems()
    union all select * from service.via_problems()
    union all select * from service.tenant_problems(u.slugs)
    union all select * from service.mask_problems()
    union all select * from service.soft_delete_problems()
    union all select * from service.account_problems()
    union all select * from service.index_problems()
    union all select * from service.search_problems()
    union all select * from service.rule_problems()
    union all select * from service.name_problems()
    union all select * from service.table_problems()
    union all select * from service.expression_problems()) p
  union all
  select w.path, w.warning, true from service.rule_warnings() w;
end $$;

comment on function service.definition_problems(jsonb) is
  'What is wrong with the project that service.store_collections has put into the catalog.';

revoke all on function service.definition_problems(jsonb) from public;
