create or replace function service.introspected_properties(schema text, unprotected text)
  returns setof service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with served as (
    select t.oid, t.slug, t.key from service.introspected_tables(introspected_properties.schema, introspected_properties.unprotected) t
    where t.reason is null and not t.junction
  ), named as (
    select s.slug, s.key, a.*, service.camel_case(a.attname::text) as wire,
      -- Two columns, one wire name: the one that is spelled so keeps it, the other goes by its raw name.
      row_number() over (partition by a.attrelid, service.camel_case(a.attname::text) order by a.attname = service.camel_case(a.attname::text) desc, a.attnum) as claim
    from served s
    join pg_attribute a on a.attrelid = s.oid and a.attnum > 0 and not a.attisdropped
  )
  select n.slug, case n.claim when 1 then n.wire else n.attname::text end, n.attname::text, n.attnum::integer,
    service.property_type(n.atttypid), service.sql_type(n.atttypid), n.attnotnull,
    n.attnotnull and not n.atthasdef and n.attidentity = '' and n.attgenerated = '',
    n.attidentity = 'a' or n.attgenerated <> '',
    n.atttypid in ('tsvector'::regtype, 'tsquery'::regtype),
    null::text[], null::text[],
    jsonb_strip_nulls(jsonb_build_object(
      'description', col_description(n.attrelid, n.attnum),
      'enum', (select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = service.base_type(n.atttypid)),
      'maxLength', case when service.base_type(n.atttypid) in ('varchar'::regtype, 'bpchar'::regtype) and n.atttypmod > 4 then n.atttypmod - 4 end,
      'dimensions', case when service.property_type(n.atttypid) = 'vector' and n.atttypmod > 0 then n.atttypmod end,
      'isId', case when n.attnum = any (n.key) then
        case when n.atttypid = 'uuid'::regtype then '"uuid"'::jsonb when service.property_type(n.atttypid) = 'number' then '"increment"' else 'true' end end))
  from named n;
end;

comment on function service.introspected_properties(text, text) is
  'The columns of the served tables of a schema as rows of service.properties. Text search columns are kept out of the API; generated ones are read-only.';

revoke all on function service.introspected_properties(text, text) from public;
