create or replace function service_private.declared_indexes()
  returns table (collection text, path text, n bigint, index jsonb, columns text[])
  language sql stable
begin atomic
  select c.slug, format('%s.indexes[%s]', c.slug, i.n - 1), i.n, i.index, array(
    select coalesce(service_private.property_column(c.slug, k.name), k.name)
    from jsonb_array_elements(i.index -> 'on') with ordinality e (key, n)
    cross join lateral (select case jsonb_typeof(e.key) when 'object' then e.key ->> 'prop' else e.key #>> '{}' end as name offset 0) k
    order by e.n)
  from service.collections c
  cross join jsonb_array_elements(c.definition -> 'indexes') with ordinality i (index, n)
  where c.source = 'file' and jsonb_typeof(i.index) = 'object';
end;

comment on function service_private.declared_indexes() is 'The indexes of definitions, with the columns that they are on.';
