create or replace function service_private.sort_key(collection text, alias text, field text, roles text[],
  out expression text, out sql_type text, out nullable boolean, out property text)
  language plpgsql stable as $$
declare
  aggregate record;
  sorted service.properties;
begin
  if field ~ '^\s*(count|min|max|sum|avg)\s*\(' and (service_private.find_property(collection, field)).name is null then
    aggregate := service_private.sort_aggregate(collection, alias, field, roles);
    expression := aggregate.expression;
    sql_type := aggregate.sql_type;
    nullable := aggregate.sql_type <> 'bigint' or field !~ '^\s*count';
  else
    sorted := service_private.sort_property(collection, field, roles);
    expression := format('%s.%I', alias, sorted.column_name);
    sql_type := sorted.sql_type;
    nullable := not sorted.not_null;
    property := sorted.name;
  end if;
end $$;

comment on function service_private.sort_key(text, text, text, text[]) is
  'The sort expression of one key of an ordering: SQL text and type, whether it can be NULL, and the property when it is one. GW400 as '
  'service_private.sort_property and service_private.sort_aggregate.';
