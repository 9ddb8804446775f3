-- Every ordering ends on the key, descending, so it is total; a key that is asked for is not added again.
create or replace function service.order_keys(collection text, alias text, requested jsonb, roles text[])
  returns table (n bigint, field text, expression text, sql_type text, direction text, nulls text, nullable boolean, is_key boolean)
  language plpgsql stable as $$
declare
  sort record;
  property service.properties;
  relation service.relations;
begin
  for sort in
    select k.value ->> 'field' as field, k.value ->> 'direction' as direction,
      coalesce(k.value ->> 'nulls', case k.value ->> 'direction' when 'desc' then 'first' else 'last' end) as nulls
    from jsonb_array_elements(requested) k
  loop
    property := service.find_property(collection, sort.field);
    relation := service.find_relation(collection, sort.field);
    if property.name is null and relation.kind = 'belongsTo' and cardinality(relation.local_columns) = 1 then
      property := service.find_property(collection, relation.local_columns[1]);
    end if;
    if sort.field ~ '^\s*(count|min|max|sum|avg)\s*\(' then
      perform service.fail(501, 'NOT_IMPLEMENTED', 'Ordering by an aggregate over a relation is not available yet.', jsonb_build_object('field', sort.field));
    elsif (property.name is null and relation.name is not null) or property.type in ('map', 'vector', 'geopoint', 'binary') or property.sql_type in ('json', 'jsonb', 'xml') then
      perform service.fail(400, 'ORDER_BY_FIELD_NOT_SORTABLE', format('%s cannot be sorted by %s.', collection, sort.field), jsonb_build_object('field', sort.field, 'collection', collection));
    elsif property.name is null then
      perform service.fail(400, 'UNKNOWN_ORDER_BY_FIELD', format('%s has no field %s to sort by.', collection, sort.field),
        jsonb_build_object('field', sort.field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
    end if;
    perform service.require_readable(property, roles);
    n := coalesce(n, 0) + 1;
    field := sort.field;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := sort.direction;
    nulls := sort.nulls;
    nullable := not property.not_null;
    is_key := property.name = any ((select c.key from service.collections c where c.slug = collection)::text[]);
    return next;
  end loop;
  for property in
    select p.* from service.collections c, unnest(c.key) with ordinality k (name, m)
      join service.properties p on p.collection = order_keys.collection and p.name = k.name
    where c.slug = order_keys.collection
      and not exists (select from jsonb_array_elements(requested) r where r ->> 'field' in (p.name, p.column_name))
    order by k.m
  loop
    n := coalesce(n, 0) + 1;
    field := null;
    expression := format('%s.%I', alias, property.column_name);
    sql_type := property.sql_type;
    direction := 'desc';
    nulls := 'first';
    nullable := not property.not_null;
    is_key := true;
    return next;
  end loop;
end $$;

comment on function service.order_keys(text, text, jsonb, text[]) is
  'The keys of an ordering, complete: requested [{field, direction, nulls}] resolved to expressions, then the collection''s key descending (field null). GW400 UNKNOWN_ORDER_BY_FIELD, ORDER_BY_FIELD_NOT_SORTABLE, FIELD_NOT_READABLE.';

revoke all on function service.order_keys(text, text, jsonb, text[]) from public;
