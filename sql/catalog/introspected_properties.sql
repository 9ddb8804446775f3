create or replace function service_private.introspected_properties(tables service.introspected_table[])
  returns setof service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with found as materialized (
    select t.slug, t.key, a.attname::text as column_name, a.attrelid, a.attnum, a.atttypid, a.atttypmod,
      a.attndims, a.attnotnull, a.attidentity, a.attgenerated, a.atthasdef or y.typdefault is not null or s.oid is not null as filled
    from unnest(tables) t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    -- Before each new row (7), a trigger may fill what is left out; NOT NULL is then the backstop.
    left join (
      select distinct g.tgrelid from pg_trigger g where not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 7 = 7
    ) s (oid) on s.oid = t.oid
    where not t.junction
  ), wire as materialized (
    select n.column_name, service_private.camel_case(n.column_name) as name from (select distinct f.column_name from found f) n
  ), type as materialized (
    select b.oid, b.base, service_private.property_type(b.base) as name, service_private.sql_type(b.base) as sql_type,
      service_private.holds_rows(b.base) as composite, service_private.comparison_limit(service_private.sql_type(b.base)) as comparison,
      service_private.enum_labels(b.base) as labels, service_private.element_type(b.base) as element,
      service_private.forbids_null(b.oid) as forbids_null
    from (select distinct f.atttypid as oid, service_private.base_type(f.atttypid) as base from found f) b
  ), named as (
    select f.*, w.name as wire,
      -- Two columns, one wire name: the one that is spelled so keeps it, the other goes by its raw name.
      row_number() over (partition by f.attrelid, w.name order by f.column_name = w.name desc, f.attnum) as claim
    from found f
    join wire w on w.column_name = f.column_name
  )
  select n.slug, case n.claim when 1 then n.wire else n.column_name end, n.column_name, n.attnum::integer,
    t.name, t.sql_type, n.attnotnull,
    -- Not "not null": a subquery without a row puts a null into a column whose domain is.
    (n.attnotnull or t.forbids_null) and not n.filled and n.attidentity = '' and n.attgenerated = '',
    n.attidentity = 'a' or n.attgenerated <> '',
    -- Search columns that collection files made earlier are of no use without them.
    t.base in ('tsvector'::regtype, 'tsquery'::regtype) or service_private.search_meaning(d.description) is not null,
    null::text[], null::text[],
    jsonb_strip_nulls(jsonb_build_object(
      'description', d.description,
      'enum', case when t.name <> 'array' then t.labels end,
      'elementEnum', case when t.name = 'array' then t.labels end,
      'elementType', t.element,
      'composite', case when t.composite then true end,
      'comparison', t.comparison,
      'maxLength', case when t.base in ('varchar'::regtype, 'bpchar'::regtype) and n.atttypmod > 4 then n.atttypmod - 4 end,
      'dimensions', case when t.name = 'vector' and n.atttypmod > 0 then n.atttypmod end,
      'arrayDimensions', case when t.name = 'array' and n.attndims > 1 then n.attndims end,
      'isId', case when n.attnum = any (n.key) then
        case when t.base = 'uuid'::regtype then '"uuid"'::jsonb when t.name = 'number' then '"increment"' else 'true' end end))
  from named n
  join type t on t.oid = n.atttypid
  left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = n.attrelid and d.objsubid = n.attnum;
end;

comment on function service_private.introspected_properties(service.introspected_table[]) is
  'The columns of the served tables as rows of service.properties. Text search columns, and those that were generated for a '
  'search, are kept out of the API; generated ones are read-only.';
