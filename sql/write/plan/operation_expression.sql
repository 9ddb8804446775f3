-- On null, $inc yields the increment, the others a list or an object. Lists and objects that are stored as json go
-- through jsonb.
create or replace function service_private.operation_expression(field text, property service.properties, operation text, roles text[])
  returns text
  language plpgsql stable as $$
declare
  type constant text := property.sql_type;
  is_json constant boolean := type in ('json', 'jsonb');
  stored constant text := format('t.%I', property.column_name);
  operand text := format('service_private.sent_operand(r.%I, %L)', field, operation);
  closed constant jsonb := service_private.closed_parts_of(property, roles, 'replace');
  items text;
begin
  if operation = '$inc' then
    return format('(coalesce(%1$s, 0::%2$s) + (%3$s #>> ''{}'')::numeric::%2$s)::%2$s', stored, type, operand);
  elsif operation = '$merge' then
    if closed is not null then
      operand := service_private.fill('service_private.kept_parts(<collection>, <field>, <operand>, <stored>, <closed>, true)',
        'collection', quote_literal(property.collection), 'field', quote_literal(field), 'operand', operand, 'stored', stored,
        'closed', quote_literal(closed));
    end if;
    return format('(coalesce(%s::jsonb, ''{}'') || %s)::%s', stored, operand, type);
  elsif is_json and operation = '$push' then
    return format('(coalesce(%s::jsonb, ''[]'') || %s)::%s', stored, operand, type);
  elsif is_json then
    return service_private.fill($sql$
      (select coalesce(jsonb_agg(i.item order by i.n), '[]')
      from jsonb_array_elements(coalesce(<stored>::jsonb, '[]')) with ordinality i (item, n)
      where not exists (select from jsonb_array_elements(<operand>) o (item) where o.item = i.item))::<type>
    $sql$, 'stored', stored, 'operand', operand, 'type', type);
  end if;
  items := service_private.operand_items(field, property, operation);
  if operation = '$push' then
    return format('coalesce(%1$s, ''{}''::%2$s) || %3$s', stored, type, items);
  end if;
  return service_private.fill($sql$
    array(
      select i.item from unnest(<stored>) with ordinality i (item, n)
      where not exists (select from unnest(<items>) o (item) where o.item is not distinct from i.item)
      order by i.n)::<type>
  $sql$, 'stored', stored, 'items', items, 'type', type);
end $$;

comment on function service_private.operation_expression(text, service.properties, text, text[]) is
  'SQL text of what an operation (in r, a record, under the name of the field as jsonb) makes of the column of a row, t, '
  'for a caller with these roles.';
