create or replace function service_private.is_system_column(name text) returns boolean
  language sql immutable parallel safe
  return name in ('tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid');

comment on function service_private.is_system_column(text) is 'Whether every table has a column of this name by itself.';
