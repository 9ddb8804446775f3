-- ADD COLUMN evaluates a default, for every row or once for all of them, with the rights of the owner. SET DEFAULT evaluates nothing. So
-- an expression of a definition is only ever set, and rows that are there keep null.
create or replace function service_private.plan_columns(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with declared as materialized (
    select * from unnest(wanted_columns)
  ), wanted as materialized (
    select c.*, format('%I.%I', c.schema_name, c.table_name) as on_table, quote_ident(c.name) as column_name,
      format('%I.%I.%I', c.schema_name, c.table_name, c.name) as target,
      a.atttypid, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid) as stored_default,
      c.in_key and exists (
        select from service.collections k
        join service.properties p on p.collection = k.slug and p.column_name = c.name and service_private.is_computed(p.attributes)
        where k.schema_name = c.schema_name and k.table_name = c.table_name) as computed
    from declared c
    left join pg_attribute a on a.attrelid = c.relation and a.attnum = c.attnum
    left join pg_attrdef d on d.adrelid = c.relation and d.adnum = c.attnum
    where c.relation is not null and c.type is not null
  ), fillable as materialized (
    -- Whether the table has rows is asked only where it matters.
    select w.target,
      w.attnum is null and (not w.not_null or w.identity or (w.default_value is not null and not w.computed)
          or w.type in ('smallserial', 'serial', 'bigserial'))
        or not service_private.has_rows(w.relation) as yes
    from wanted w
    where w.attnum is null or (w.not_null and not w.attnotnull)
      or (w.identity and w.attidentity = '' and w.stored_default is null)
  )
  select 50, 'column', w.target,
    format('alter table %s add column %s', w.on_table,
      service_private.column_clause(w.name, w.type, case when not w.computed then w.default_value end, w.identity, w.not_null and f.yes)),
    false, 'safe', null::text, null::text
  from wanted w join fillable f on f.target = w.target
  where w.attnum is null
  union all
  select 50, 'column', w.target, null, false, 'report',
    format('Its type is %s, the collection''s is %s.', format_type(w.atttypid, w.atttypmod), w.type),
    format('alter table %s alter column %s type %s using …;', w.on_table, w.column_name, w.type)
  from wanted w
  where w.attnum is not null and not coalesce(service_private.same_type(w.type, w.atttypid, w.atttypmod), false)
  union all
  select 50, 'column', format('%I.%I.%I', t.schema_name, t.table_name, a.attname), null, false, 'report',
    concat_ws(' ', 'The collection does not know this column.', case when a.attnotnull and not a.atthasdef and a.attidentity = '' then
      'It is NOT NULL without a default: nothing can be created through the API.' end),
    format(e'-- Declare it, or drop it with its values:\nalter table %I.%I drop column %I;', t.schema_name, t.table_name, a.attname)
  from unnest(wanted_tables) t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where not exists (select from declared c where c.relation = t.oid and c.attnum = a.attnum)
    -- Those of searches are service_private.plan_search's.
    and not exists (select from service_private.wanted_search_columns(wanted_tables) s where s.relation = t.oid and s.attnum = a.attnum)
    and service_private.search_meaning(col_description(t.oid, a.attnum)) is null
  union all
  select 60, 'default', w.target,
    format('alter table %s alter column %s set default (%s)', w.on_table, w.column_name, w.default_value), false, 'safe', null, null
  from wanted w
  where (w.attnum is not null or w.computed) and coalesce(w.attgenerated, '') = '' and coalesce(w.attidentity, '') = ''
    and w.default_value is not null
    and (w.stored_default is null or service_private.same_default(w.stored_default, w.default_value, w.type) = false)
  union all
  select 60, 'default', w.target, null, false, 'report',
    format('Its default is %s, the collection''s is %s.',
      coalesce(w.stored_default, 'an identity'), coalesce(w.default_value, 'none')),
    format('alter table %s alter column %s %s;', w.on_table, w.column_name,
      coalesce('set default (' || w.default_value || ')', 'drop default'))
  from wanted w
  where w.attnum is not null and w.attgenerated = ''
    and not (w.identity and (w.attidentity <> '' or w.stored_default like 'nextval(%'))
    and case
      when w.default_value is null then (w.attidentity <> '' and not w.identity)
        or (w.stored_default is not null and w.type not in ('smallserial', 'serial', 'bigserial'))
      else w.attidentity <> ''
        or (w.stored_default is not null and service_private.same_default(w.stored_default, w.default_value, w.type) is null) end
  union all
  select 60, 'identity', w.target, case when d.now then i.statement end, false, case when d.now then 'safe' else 'report' end,
    case when not d.now then 'Its values are not generated, and the table has rows.' end,
    case when not d.now then service_private.fill(
      '<identity>; select setval(pg_get_serial_sequence(<table_name>, <name>), max(<column>)) from <table>;',
      'identity', i.statement, 'table_name', quote_literal(w.on_table), 'name', quote_literal(w.name),
      'column', w.column_name, 'table', w.on_table) end
  from wanted w
  join fillable f on f.target = w.target
  cross join lateral (select f.yes and w.attnotnull as now) d
  cross join lateral (
    select format('alter table %s alter column %s add generated by default as identity', w.on_table, w.column_name) as statement) i
  where w.attnum is not null and w.identity and w.attidentity = '' and w.stored_default is null
  union all
  select 70, 'not null', w.target, case when f.yes and w.attnum is not null then n.statement end,
    false, case when f.yes then 'safe' else 'withheld' end,
    case when not f.yes then 'The table has rows, so NOT NULL is withheld.' end,
    case when not f.yes then service_private.fill('update <table> set <column> = … where <column> is null; <not_null>;',
      'table', w.on_table, 'column', w.column_name, 'not_null', n.statement) end
  from wanted w
  join fillable f on f.target = w.target
  cross join lateral (select format('alter table %s alter column %s set not null', w.on_table, w.column_name) as statement) n
  where w.not_null and not coalesce(w.attnotnull, false) and not (w.attnum is null and f.yes)
  union all
  select 70, 'not null', w.target, null, false, 'report', 'It is NOT NULL, and the collection does not require it.',
    format('alter table %s alter column %s drop not null;', w.on_table, w.column_name)
  from wanted w
  where w.attnotnull and not w.not_null and not w.in_key;
end $$;

comment on function service_private.plan_columns(service_private.wanted_table[], service_private.wanted_column[]) is
  'The part of service.provision_plan() about the columns of tables that are there.';
