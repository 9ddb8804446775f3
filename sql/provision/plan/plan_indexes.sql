-- A table with rows stays writable while its index is built. Leftovers of a failed attempt are removed first; an
-- index that is being built right now is left alone.
create or replace function service_private.plan_indexes(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with declared as materialized (
    select * from service_private.wanted_indexes(wanted_tables, wanted_columns)
  ), wanted as materialized (
    select w.*, format('%I.%I', w.schema_name, w.table_name) as on_table, format('%I.%I', w.schema_name, w.name) as target,
      r.oid, r.relkind, i.indrelid, i.indisvalid, i.indisunique,
      case when w.relation is null then false else service_private.has_rows(w.relation) end as populated
    from declared w
    left join pg_namespace n on n.nspname = w.schema_name
    left join pg_class r on r.relnamespace = n.oid and r.relname = w.name
    left join pg_index i on i.indexrelid = r.oid
    where r.oid is null or i.indisvalid is not true or i.indrelid is distinct from w.relation or i.indisunique <> w.is_unique
  )
  select case when w.populated then 160 when w.kind = 'unique' then 85 else 100 end, w.kind, w.target,
    case
      when w.kind = 'unique' and not w.populated then
        format('alter table %s add constraint %I unique (%s)', w.on_table, w.name, service_private.name_list(w.columns))
      else concat_ws(' ', 'create', case when w.is_unique then 'unique' end, 'index',
        case when w.populated then 'concurrently if not exists' end, quote_ident(w.name), 'on', w.on_table, w.body) end,
    w.populated, 'safe', null::text, null::text
  from wanted w
  where w.oid is null
  union all
  select 159, w.kind, w.target, format('drop index concurrently %s', w.target), true, 'safe', 'An attempt to build it has failed.', null
  from wanted w
  where w.indrelid = w.relation and not w.indisvalid
    and not exists (
      select from pg_stat_progress_create_index p join pg_database d on d.oid = p.datid
      where d.datname = current_database() and p.index_relid = w.oid)
    and not exists (select from pg_constraint k where k.conindid = w.oid)
  union all
  select 100, w.kind, w.target, null, false, 'report', 'The name is taken by something else.', null
  from wanted w
  where w.oid is not null and (w.indrelid is distinct from w.relation or w.indisunique <> w.is_unique)
  union all
  select 100, 'index', format('%I.%I', t.schema_name, r.relname), null, false, 'report', 'No collection asks for this index any more.',
    format('drop index concurrently %I.%I;', t.schema_name, r.relname)
  from unnest(wanted_tables) t
  join pg_index i on i.indrelid = t.oid
  join pg_class r on r.oid = i.indexrelid
  where r.relname ~ '_(ix|ux)_[0-9a-f]{7}$'
    and not exists (select from declared w where w.schema_name = t.schema_name and w.name = r.relname);
end $$;

comment on function service_private.plan_indexes(service_private.wanted_table[], service_private.wanted_column[]) is
  'The part of service.provision_plan() about indexes and unique properties.';
