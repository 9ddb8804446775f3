create or replace function service_private.open_block(item text, blocks jsonb, depth integer) returns text
  language sql stable
begin atomic
  select service_private.fill('
      case <item> ->> <type>
        <types>
      end',
    'item', item,
    'type', quote_literal(blocks ->> 'typeField'),
    'types', string_agg(format('when %L then %s', t.key, case jsonb_typeof(t.value)
      when 'null' then item
      when 'string' then format('%s - %L', item, blocks ->> 'valueField')
      else service_private.fill('case when <item> ? <field> then <item> || jsonb_build_object(<field>, <value>) else <item> end',
        'item', item, 'field', quote_literal(blocks ->> 'valueField'),
        'value', service_private.open_expression(format('(%s -> %L)', item, blocks ->> 'valueField'), t.value, depth)) end),
          E'\n' order by t.key))
  from jsonb_each(blocks -> 'types') t;
end;

comment on function service_private.open_block(text, jsonb, integer) is
  'SQL text of an element (SQL text, jsonb) of an array of blocks without what is closed in it; null for one of no declared type. '
  'Parameters as of service_private.open_expression.';
