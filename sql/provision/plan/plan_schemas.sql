create or replace function service_private.plan_schemas(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with wanted as (
    select t.schema_name from unnest(wanted_tables) t
    union
    select c.enum_type ->> 'schema' from unnest(wanted_columns) c where c.enum_type is not null
  ), extension as (
    select service_private.extension_schema('vector') as schema_name,
      exists (select from pg_extension e where e.extname = 'vector') as installed
    where exists (select from service.properties p where p.attributes #>> '{column,type}' ~ '(^|\.)vector(\(|$)')
  )
  select 10, 'schema', quote_ident(w.schema_name), format('create schema %I', w.schema_name), false, 'safe', null::text, null::text
  from wanted w
  where not exists (select from pg_namespace n where n.nspname = w.schema_name)
  union all
  select 20, 'extension', 'vector', format('create extension vector schema %I', e.schema_name), false, 'safe', null,
    'As a superuser: create extension vector;'
  from extension e
  where not e.installed and e.schema_name is not null
  union all
  select 20, 'extension', 'vector', null, false, 'withheld', 'This server does not have the extension vector; its columns are left out.',
    'Install pgvector on the database server.'
  from extension e
  where e.schema_name is null;
end $$;

comment on function service_private.plan_schemas(service_private.wanted_table[], service_private.wanted_column[]) is
  'The part of service.provision_plan() about schemas and extensions.';
