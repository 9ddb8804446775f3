-- A junction's own columns have the type of what they refer to; a serial there would count by itself.
create or replace function service_private.wanted_columns(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables()) returns service_private.wanted_column[]
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return array(
  with link as (
    select r.junction_schema, r.junction_table, e.name, e.rank * 1000 + e.n as "position",
      coalesce(p.attributes #>> '{column,type}', p.sql_type) as type
    from service.relations r
    cross join lateral (
      select s.name, s.refers, s.n, 0 as rank, r.collection
      from unnest(r.junction_source, r.local_columns) with ordinality s (name, refers, n)
      union all
      select t.name, t.refers, t.n, 1, r.target
      from unnest(r.junction_target, r.target_columns) with ordinality t (name, refers, n)
    ) e
    join service.properties p on p.collection = e.collection and p.column_name = e.refers
    where r.kind = 'manyToMany'
  ), declared as (
    select t.schema_name, t.table_name, p.column_name as name, p."position", p.not_null, p.attributes -> 'column' as spec, 1 as rank
    from unnest(wanted_tables) t
    join service.properties p on p.collection = t.collection
    where p.attributes ? 'column'
    union all
    select l.junction_schema, l.junction_table, l.name, l."position", true, jsonb_build_object('type',
      case l.type when 'smallserial' then 'smallint' when 'serial' then 'integer' when 'bigserial' then 'bigint' else l.type end), 2
    from link l
    union all
    select r.junction_schema, r.junction_table, e.pivot ->> 'columnName', 10000 + e.n,
      (coalesce(e.pivot -> 'notNull', e.pivot -> 'required', 'false'))::boolean,
      e.pivot #> '{attributes,column}', 3
    from service.relations r
    cross join jsonb_array_elements(r.pivot) with ordinality e (pivot, n)
    where r.kind = 'manyToMany' and jsonb_typeof(r.pivot) = 'array' and e.pivot #> '{attributes,column}' is not null
  ), first as (
    -- In no language's order, which takes three times as long.
    select distinct on (d.schema_name collate "C", d.table_name collate "C", d.name collate "C") d.*
    from declared d
    order by d.schema_name collate "C", d.table_name collate "C", d.name collate "C", d.rank, d."position"
  )
  select row(t.schema_name, t.table_name, t.oid, a.attnum, f.name, f."position"::integer,
    case when f.spec ->> 'type' ~ '(^|\.)vector(\(|$)' then
      quote_ident(v.schema_name) || '.vector' || coalesce(substring(f.spec ->> 'type' from '\(\d+\)$'), '')
      else f.spec ->> 'type' end,
    f.spec ->> 'default', coalesce((f.spec ->> 'identity')::boolean, false), coalesce((f.spec ->> 'unique')::boolean, false), f.not_null,
    f.spec ->> 'stamp', f.name = any (t.key), nullif(f.spec -> 'enumType', 'null'), nullif(f.spec -> 'index', 'null')
  )::service_private.wanted_column
  from first f
  join unnest(wanted_tables) t on t.schema_name = f.schema_name and t.table_name = f.table_name
  cross join (select service_private.extension_schema('vector') as schema_name) v
  left join pg_attribute a on a.attrelid = t.oid and a.attname = f.name::name and a.attnum > 0 and not a.attisdropped);
end $$;

comment on function service_private.wanted_columns(service_private.wanted_table[]) is 'The columns that collection files ask for.';
