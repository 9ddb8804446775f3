create or replace function service_private.row_id_of_files(collection text, row_name text) returns text
  language sql stable
begin atomic
  select string_agg(
    case when cardinality(c.key) = 1 then e.part
      else service_private.fill('replace(replace(<part>, ''%'', ''%25''), '':'', ''%3A'')', 'part', e.part) end,
    ' || '':::'' || ' order by k.n)
  from service.collections c
  cross join unnest(c.key) with ordinality k (name, n)
  join service.properties p on p.collection = c.slug and p.name = k.name
  cross join lateral (select format('%s."%s"::text', row_name, replace(p.column_name, '"', '""')) as part) e
  where c.slug = row_id_of_files.collection;
end;

comment on function service_private.row_id_of_files(text, text) is
  'SQL text of the id of a row as the API shows it, which replaces {entityId} in the paths of its files.';
