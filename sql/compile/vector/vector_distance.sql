-- The operators are pgvector's, in the schema that the extension lives in; an index of the same distance serves them.
create or replace function service_private.vector_distance(collection text, alias text, vector jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  property service.properties := service_private.vector_property(collection, vector ->> 'property', roles);
begin
  return service_private.fill('(<column> operator(<schema>.<operator>) $<parameter>::<type>)',
    'column', format('%s.%I', alias, property.column_name),
    'schema', coalesce(substring(property.sql_type from '^(.*)\.'), 'public'),
    'operator', case vector ->> 'distance' when 'l2' then '<->' when 'inner_product' then '<#>' else '<=>' end,
    'parameter', vector ->> 'param',
    'type', property.sql_type);
end $$;

comment on function service_private.vector_distance(text, text, jsonb, text[]) is
  'SQL text of the distance of a row to the vector of a request: cosine, l2, or the negated inner product.';
