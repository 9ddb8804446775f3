create or replace function service_private.plan_foreign_keys(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with action (letter, name) as (
    values ('a', 'no action'), ('r', 'restrict'), ('c', 'cascade'), ('n', 'set null'), ('d', 'set default')
  ), stored as materialized (
    select k.oid, k.conrelid, k.conname, k.convalidated, k.confrelid, d.name as on_delete, u.name as on_update,
      service_private.column_names(k.conrelid, k.conkey) as columns, service_private.column_names(k.confrelid, k.confkey) as target_columns,
      format('%I.%I', n.nspname, r.relname) as refers_to
    from pg_constraint k
    join pg_class r on r.oid = k.confrelid
    join pg_namespace n on n.oid = r.relnamespace
    join action d on d.letter = k.confdeltype
    join action u on u.letter = k.confupdtype
    where k.contype = 'f' and k.conparentid = 0
  ), wanted as (
    select f.*, format('%I.%I', f.schema_name, f.table_name) as on_table, t.refers_to, t.target_list,
      r.oid is null or exists (
        select from pg_index i
        where i.indrelid = r.oid and i.indisunique and i.indisvalid and i.indpred is null
          and (
            select array_agg(a.attname::text order by a.attname) from pg_attribute a
            where a.attrelid = r.oid and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1]))
          = (select array_agg(c order by c collate "C") from unnest(f.target_columns) c)) as unique_target,
      format('foreign key (%s) references %s (%s) on delete %s',
        service_private.name_list(f.columns), t.refers_to, t.target_list, f.on_delete)
        || coalesce(' on update ' || f.on_update, '') as clause
    from service_private.wanted_foreign_keys(wanted_tables) f
    cross join lateral (
      select format('%I.%I', f.target_schema, f.target_table) as refers_to, service_private.name_list(f.target_columns) as target_list) t
    left join pg_namespace n on n.nspname = f.target_schema
    left join pg_class r on r.relnamespace = n.oid and r.relname = f.target_table
    -- Not before its columns are there, or will be.
    where not exists (
      select from unnest(wanted_columns) c
      where c.schema_name = f.schema_name and c.table_name = f.table_name and c.name = any (f.columns) and c.type is null)
  )
  select 90, 'foreign key', format('%s.%I', w.on_table, w.name),
    case when w.unique_target then format('alter table %s add constraint %I %s', w.on_table, w.name, w.clause) end, false,
    case when w.unique_target then 'safe' else 'withheld' end,
    case when not w.unique_target then format('What it refers to is not unique in %s.', w.refers_to) end,
    case when not w.unique_target then format('alter table %s add primary key (%s);', w.refers_to, w.target_list) end
  from wanted w
  where not exists (select from stored s where s.conrelid = w.relation and (s.columns = w.columns or s.conname = w.name))
  union all
  select 90, 'foreign key', format('%s.%I', w.on_table, s.conname), null, false, 'report',
    case
      when s.columns <> w.columns then format('A foreign key of this name is on (%s), the collection''s on (%s).',
        array_to_string(s.columns, ', '), array_to_string(w.columns, ', '))
      when s.refers_to <> w.refers_to or s.target_columns <> w.target_columns then
        format('It refers to %s, the collection''s to %s.', s.refers_to, w.refers_to)
      when s.on_delete <> w.on_delete then format('On delete it does something else than the collection''s (%s).', w.on_delete)
      else format('On update it does something else than the collection''s (%s).', w.on_update) end,
    service_private.fill('alter table <table> drop constraint <stored>; alter table <table> add constraint <wanted> <clause>;',
      'table', w.on_table, 'stored', quote_ident(s.conname), 'wanted', quote_ident(w.name), 'clause', w.clause)
  from wanted w
  join stored s on s.conrelid = w.relation and (s.columns = w.columns or s.conname = w.name)
  where s.columns <> w.columns or s.refers_to <> w.refers_to or s.target_columns <> w.target_columns
    or s.on_delete <> w.on_delete or s.on_update <> w.on_update
  union all
  select 90, 'foreign key', format('%s.%I', w.on_table, s.conname), null, false, 'report',
    'It was never validated: rows of before it may refer to nothing.',
    format('alter table %s validate constraint %I;', w.on_table, s.conname)
  from wanted w
  join stored s on s.conrelid = w.relation and s.columns = w.columns and s.refers_to = w.refers_to
  where not s.convalidated;
end $$;

comment on function service_private.plan_foreign_keys(service_private.wanted_table[], service_private.wanted_column[]) is
  'The part of service.provision_plan() about foreign keys.';
