-- Every ordering ends on the key, descending, so it is total; a key that is asked for is not added again.
create or replace function service_private.order_keys(collection text, alias text, requested jsonb, roles text[])
  returns table (n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean)
  language plpgsql stable as $$
declare
  sort record;
  key record;
  property service.properties;
  sorted text[] := '{}';
begin
  n := 0;
  for sort in
    select k.value ->> 'field' as field, k.value ->> 'direction' as direction,
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end) as nulls
    from jsonb_array_elements(requested) k
  loop
    key := service_private.sort_key(collection, alias, sort.field, roles);
    n := n + 1;
    field := sort.field;
    expression := key.expression;
    sql_type := key.sql_type;
    direction := sort.direction;
    nulls := sort.nulls;
    nullable := key.nullable;
    sorted := array_remove(sorted || key.property, null);
    return next;
  end loop;
  for property in
    select p.* from service.collections c, unnest(c.key) with ordinality k (name, m)
      join service.properties p on p.collection = order_keys.collection and p.name = k.name
    where c.slug = order_keys.collection and not p.name = any (sorted)
    order by k.m
  loop
    n := n + 1;
    field := null;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := 'desc';
    nulls := 'first';
    nullable := not property.not_null;
    return next;
  end loop;
end $$;

comment on function service_private.order_keys(text, text, jsonb, text[]) is
  'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then what is left of the '
  'collection''s key, descending (field null). GW400 as service_private.sort_key.';
