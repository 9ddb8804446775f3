create or replace function service_private.may_hold_endpoints(schema_name name) returns boolean
  language sql immutable parallel safe
  return schema_name not in ('service', 'service_private', 'information_schema') and schema_name !~ '^pg_';

comment on function service_private.may_hold_endpoints(name) is
  'Whether functions of a schema are served where their comment says so: not those of the service and of the system.';
