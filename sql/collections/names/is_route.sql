create or replace function service_private.is_route(relation text) returns boolean
  language sql immutable parallel safe
  return relation in ('bulk', 'count', 'aggregate', 'history');

comment on function service_private.is_route(text) is 
  'Whether an address that ends so is a route of every collection, so that no relation can be named so.';
