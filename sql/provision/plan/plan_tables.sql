create or replace function service_private.plan_tables(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
begin
  return query
  with columns as materialized (
    select c.schema_name, c.table_name, string_agg(
      service_private.column_clause(c.name, c.type, c.default_value, c.identity, c.not_null or c.in_key), E',\n'
      order by c."position", c.name) as clauses
    from unnest(wanted_columns) c
    where c.relation is null and c.type is not null
    group by c.schema_name, c.table_name
  ), key as (
    select t.*, format('%I.%I', t.schema_name, t.table_name) as target, service_private.name_list(t.key) as keys
    from unnest(wanted_tables) t
  ), stored_key as (
    select k.*, p.oid as stored, service_private.column_names(k.oid, p.conkey) as columns
    from key k
    left join pg_constraint p on p.conrelid = k.oid and p.contype = 'p'
    where k.oid is not null
  )
  select 40, 'table', k.target, service_private.fill($$
      create table <table> (
        <columns>,
        primary key (<keys>)
      )
    $$, 'table', k.target, 'columns', c.clauses, 'keys', k.keys), false, 'safe', null::text, null::text
  from key k
  join columns c on c.schema_name = k.schema_name and c.table_name = k.table_name
  where k.oid is null
  union all
  select 40, 'primary key', k.target, null, false, 'report',
    case when k.stored is null then format('It has no primary key; the collection''s is (%s).', k.keys)
      else format('Its primary key is (%s), the collection''s is (%s).', array_to_string(k.columns, ', '), k.keys) end,
    case when k.stored is null then format('alter table %s add primary key (%s);', k.target, k.keys) end
  from stored_key k
  where k.stored is null or not (k.columns @> k.key and k.key @> k.columns)
  union all
  select 40, 'table', t.name, null, false, 'report',
    case when r.oid is null then 'It is not there. The collection is read-only, so it has no table made for it.'
      when r.relkind in ('v', 'm') and not c.read_only then 'It is a view; a collection over it is readOnly.'
      when r.relkind = 'v' then 'It is a view that runs as its owner, past row security.'
      else 'It is no ordinary table.' end,
    case when r.oid is null then format('create view %s with (security_invoker = on) as select …;', t.name)
      when r.relkind = 'v' and c.read_only then format('alter view %s set (security_invoker = on);', t.name) end
  from service.collections c
  cross join lateral (select format('%I.%I', c.schema_name, c.table_name) as name) t
  left join pg_namespace n on n.nspname = c.schema_name
  left join pg_class r on r.relnamespace = n.oid and r.relname = c.table_name
  where c.source = 'file' and (r.oid is null and c.read_only or r.relkind not in ('r', 'p'))
    and not (r.oid is not null and c.read_only and r.relkind = 'v' and service_private.runs_as_caller(r.reloptions));
end $body$;

comment on function service_private.plan_tables(service_private.wanted_table[], service_private.wanted_column[]) is
  'The part of service.provision_plan() about tables and their keys.';
