create or replace function service_private.key_properties(collection text) returns setof service.properties
  language plpgsql stable as $$
begin
  return query
    select p.*
    from service.collections c
    cross join unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.collection = c.slug and p.name = k.name
    where c.slug = key_properties.collection
    order by k.n;
end $$;

comment on function service_private.key_properties(text) is 'The properties of a collection''s key, in its order.';
