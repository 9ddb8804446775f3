create or replace function service_private.is_declared_key(definition jsonb) returns boolean
  language sql immutable parallel safe
  return coalesce(definition -> 'isId', 'false') <> 'false';

comment on function service_private.is_declared_key(jsonb) is 'Whether a property is declared to be the primary key.';
