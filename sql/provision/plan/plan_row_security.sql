create or replace function service_private.plan_row_security(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select 130, 'row security', format('%I.%I', t.schema_name, t.table_name),
    format('alter table %I.%I enable row level security', t.schema_name, t.table_name), false, 'safe', null::text, null::text
  from unnest(wanted_tables) t
  left join pg_class r on r.oid = t.oid
  where not coalesce(r.relrowsecurity, false);
end $$;

comment on function service_private.plan_row_security(service_private.wanted_table[]) is
  'The part of service.provision_plan() that switches row security on.';
