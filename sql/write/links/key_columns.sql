create or replace function service.key_columns(collection text) returns text[]
  language sql stable
begin atomic
  select array_agg(p.column_name order by k.n)
  from service.collections c, unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.name = k.name
  where c.slug = key_columns.collection and p.collection = key_columns.collection;
end;

comment on function service.key_columns(text) is 'The columns of a collection''s key, in its order.';

revoke all on function service.key_columns(text) from public;
