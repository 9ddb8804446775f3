create or replace function service_private.plan_grants(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with needed as (
    select rtrim(g, ';') as statement from service_private.missing_grants() g
    union
    select format('grant %s on %I.%I to service_user',
      case when t.read_only then 'select' else 'select, insert, update, delete' end, t.schema_name, t.table_name)
    from unnest(wanted_tables) t where t.oid is null
    union
    select format('grant usage on schema %I to service_user', t.schema_name)
    from unnest(wanted_tables) t
    left join pg_namespace n on n.nspname = t.schema_name
    where t.oid is null and (n.oid is null or not has_schema_privilege('service_user', n.oid, 'usage'))
    union
    select format('grant usage on schema %I to service_user', c.function_schema)
    from service_private.callbacks(wanted_tables) c join pg_namespace n on n.nspname = c.function_schema
    where not has_schema_privilege('service_user', n.oid, 'usage')
    union
    select format('grant execute on function %s to service_user', c.oid::regprocedure)
    from service_private.callbacks(wanted_tables) c
    where case when c.oid is not null then not has_function_privilege('service_user', c.oid, 'execute') else false end
  )
  select 150, 'grant', 'service_user', n.statement, false, 'safe', null::text, null::text
  from needed n;
end $$;

comment on function service_private.plan_grants(service_private.wanted_table[]) is
  'The part of service.provision_plan() about what service_user may do.';
