-- The end-user role gets what the served tables need and nothing else; row security decides the rows.
create or replace function service_private.missing_grants() returns setof text
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  with served as (
    select c.schema_name, c.table_name, c.read_only from service.collections c
    union
    select r.junction_schema, r.junction_table, false from service.relations r where r.junction_table is not null
  ), relation as (
    select s.*, format('%I.%I', s.schema_name, s.table_name) as name from served s
    where to_regclass(format('%I.%I', s.schema_name, s.table_name)) is not null
  )
  select format('grant usage on schema %I to service_user;', r.schema_name)
  from relation r where not has_schema_privilege('service_user', r.schema_name, 'usage')
  union
  -- Values are cast to their columns' types by name.
  select format('grant usage on schema %I to service_user;', n.nspname)
  from (
    select distinct service_private.base_type(a.atttypid) as oid
    from relation r
    join pg_attribute a on a.attrelid = r.name::regclass and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid and t.typnamespace <> 'pg_catalog'::regnamespace
  ) used
  join pg_type t on t.oid = used.oid
  join pg_namespace n on n.oid = t.typnamespace
  where not has_schema_privilege('service_user', n.oid, 'usage')
  union
  select format('grant %s on %s to service_user;', case when r.read_only then 'select' else 'select, insert, update, delete' end, r.name)
  from relation r
  where exists (
    select from unnest(case when r.read_only then array['select'] else array['select', 'insert', 'update', 'delete'] end) p (privilege)
    where not has_table_privilege('service_user', r.name, p.privilege))
  union
  select format('grant usage on sequence %s to service_user;', d.objid::regclass)
  from relation r
  join pg_depend d on d.refobjid = r.name::regclass and d.refobjsubid > 0 and d.classid = 'pg_class'::regclass and d.deptype = 'a'
  join pg_class s on s.oid = d.objid and s.relkind = 'S'
  -- CASE: the function refuses what is no sequence, and the planner may ask it first.
  where not r.read_only and case s.relkind when 'S' then not has_sequence_privilege('service_user', s.oid, 'usage') end
  order by 1;
end $$;

comment on function service_private.missing_grants() is
  'The GRANT statements that the served tables still need for service_user; none when all is granted.';
