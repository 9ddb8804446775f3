create or replace function service_private.humanize(name text) returns text
  language sql immutable parallel safe
  return upper(left(name, 1)) || replace(substr(name, 2), '_', ' ');

comment on function service_private.humanize(text) is 'A label from a name: order_items is Order items.';
