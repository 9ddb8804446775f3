-- The path of a part is one of SQL/JSON; names stand in it as JSON strings do.
create or replace function service_private.declared_files()
  returns table (collection text, place integer, property text, storage jsonb, column_name text, sql_type text, json_path text)
  language sql stable
begin atomic
  with recursive part as (
    select p.collection, array[p."position"::bigint] as place, p.name as path, p.attributes, p.column_name, p.sql_type, '$' as json_path
    from service.properties p
    where p.attributes ?| '{storage,of,oneOf,properties}'
    union all
    select p.collection, p.place || n.place, n.path, n.attributes, p.column_name, p.sql_type, p.json_path || n.step
    from part p
    cross join lateral (
      select 0::bigint as place, p.path, p.attributes -> 'of' as attributes, '[*]' as step where p.attributes ? 'of'
      union all
      select row_number() over (order by e.key), p.path || '.' || e.key, e.value, '.' || to_json(e.key)
      from jsonb_each(p.attributes -> 'properties') e
      union all
      select row_number() over (order by e.key), p.path || '.' || (p.attributes #>> '{oneOf,valueField}'), e.value,
        format('[*] ? (@.%s == %s).%s', p.attributes #> '{oneOf,typeField}', to_json(e.key), p.attributes #> '{oneOf,valueField}')
      from jsonb_each(p.attributes #> '{oneOf,properties}') e) n
  )
  select p.collection, (row_number() over (partition by p.collection order by p.place, p.path))::integer, p.path, p.attributes -> 'storage',
    p.column_name, p.sql_type, p.json_path
  from part p
  where p.attributes ? 'storage';
end;

comment on function service_private.declared_files() is
  'The properties that hold files, at any depth, as service.storage_properties has them. storage: as declared.';
