create or replace function service.is_declared_key(definition jsonb) returns boolean
  language sql immutable parallel safe
  return coalesce(definition -> 'isId', 'false') <> 'false';

comment on function service.is_declared_key(jsonb) is 'Whether a property is declared to be the primary key.';

revoke all on function service.is_declared_key(jsonb) from public;
