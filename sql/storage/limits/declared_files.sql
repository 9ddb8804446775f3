create or replace function service.declared_files() returns table (collection text, place integer, property text, storage jsonb)
  language sql stable
begin atomic
  with recursive part as (
    select p.collection, array[p."position"::bigint] as place, p.name as path, p.attributes
    from service.properties p
    where p.attributes ?| '{storage,of,oneOf,properties}'
    union all
    select p.collection, p.place || n.place, n.path, n.attributes
    from part p
    cross join lateral (
      select 0::bigint as place, p.path, p.attributes -> 'of' as attributes where p.attributes ? 'of'
      union all
      select row_number() over (order by e.key), p.path || '.' || e.key, e.value from jsonb_each(p.attributes -> 'properties') e
      union all
      select row_number() over (order by e.key), p.path || '.' || (p.attributes #>> '{oneOf,valueField}'), e.value
      from jsonb_each(p.attributes #> '{oneOf,properties}') e) n
  )
  select p.collection, (row_number() over (partition by p.collection order by p.place, p.path))::integer, p.path, p.attributes -> 'storage'
  from part p
  where p.attributes ? 'storage';
end;

comment on function service.declared_files() is
  'The properties that hold files, at any depth. property: a dotted path without places in arrays; storage: as declared.';

revoke all on function service.declared_files() from public;
