create or replace function service.key_types(collection text) returns jsonb
  language sql stable
begin atomic
  select jsonb_agg(p.sql_type order by k.n)
  from service.collections c, unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.name = k.name
  where c.slug = key_types.collection and p.collection = key_types.collection;
end;

comment on function service.key_types(text) is 'The types of a collection''s key, as a JSON array, in its order.';

revoke all on function service.key_types(text) from public;
