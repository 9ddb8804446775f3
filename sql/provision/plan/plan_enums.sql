-- A new label cannot be used before its transaction is over, so it is added by itself and before everything else (the
-- negative steps), each after the one that precedes it.
create or replace function service_private.plan_enums(
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns()) returns setof service.provision_step
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with wanted as (
    select distinct on (c.enum_type ->> 'schema', c.enum_type ->> 'name')
      c.enum_type ->> 'schema' as schema_name, c.enum_type ->> 'name' as name,
      array(select jsonb_array_elements_text(c.enum_type -> 'labels')) as labels
    from unnest(wanted_columns) c
    where c.enum_type is not null
    order by 1, 2, c.schema_name, c.table_name, c.name
  ), known as (
    select w.*, format('%I.%I', w.schema_name, w.name) as target, t.oid, t.typtype,
      array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as stored
    from wanted w
    left join pg_namespace n on n.nspname = w.schema_name
    left join pg_type t on t.typnamespace = n.oid and t.typname = w.name
  ), missing as (
    select k.*, l.label, l.n, k.labels[l.n - 1] as previous,
      (select s.label from unnest(k.labels) with ordinality s (label, n)
        where s.n > l.n and s.label = any (k.stored) order by s.n limit 1) as next
    from known k
    cross join unnest(k.labels) with ordinality l (label, n)
    where k.typtype = 'e' and l.label <> all (k.stored)
  )
  select 30, 'enum', k.target, format('create type %s as enum (%s)', k.target,
      (select string_agg(quote_literal(l), ', ' order by n) from unnest(k.labels) with ordinality u (l, n))),
    false, 'safe', null::text, null::text
  from known k where k.oid is null
  union all
  select m.n::integer - 10000, 'enum value', m.target || '.' || quote_ident(m.label),
    concat_ws(' ', format('alter type %s add value if not exists %L', m.target, m.label), case
      when m.previous is not null then format('after %L', m.previous)
      when m.next is not null then format('before %L', m.next) end),
    true, 'safe', null, null
  from missing m
  union all
  select 30, 'enum', k.target, null, false, 'report', 'It is there, but is no enumeration.',
    format('alter type %s rename to …', k.target)
  from known k where k.oid is not null and k.typtype <> 'e'
  union all
  select 30, 'enum', k.target, null, false, 'report',
    'It has labels that the collection does not: ' || string_agg(s.label, ', ' order by s.n),
    case when count(*) = 1 and r.missing = 1 then
      format(e'-- If it is the same under another name, before the new one is added:\nalter type %s rename value %L to %L;',
        k.target, min(s.label), r.label) end
  from known k
  cross join unnest(k.stored) with ordinality s (label, n)
  cross join lateral (select count(*) as missing, min(m.label) as label from missing m where m.target = k.target) r
  where s.label <> all (k.labels)
  group by k.target, r.missing, r.label
  union all
  select 30, 'enum', k.target, null, false, 'report',
    'Its labels are in another order than the collection''s, and sort so.', null
  from known k
  where array(select s from unnest(k.stored) with ordinality u (s, n) where s = any (k.labels) order by n)
    <> array(select l from unnest(k.labels) with ordinality u (l, n) where l = any (k.stored) order by n);
end $$;

comment on function service_private.plan_enums(service_private.wanted_column[]) is
  'The part of service.provision_plan() about enumerations and their labels.';
