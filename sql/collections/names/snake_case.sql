-- Non-ASCII characters count as letters, whatever the database's locale.
create or replace function service_private.snake_case(name text) returns text
  language sql immutable parallel safe
begin atomic
  select lower(regexp_replace(apart.name, '[^[:alnum:]_$\u0080-\uffff]+', '_', 'g'))
  from regexp_replace(name, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g') words (name)
  cross join lateral regexp_replace(words.name, '([[:upper:]])([[:upper:]][[:lower:]])', '\1_\2', 'g') apart (name);
end;

comment on function service_private.snake_case(text) is
  'The column or table of a name: orderItems, order-items and HTMLPage are order_items, order_items and html_page.';
