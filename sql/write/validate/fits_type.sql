-- Without subqueries, so that the planner puts it where it is called.
create or replace function service_private.fits_type(value jsonb, type text, sql_type text) returns boolean
  language sql immutable parallel safe
  return case type
    when 'string' then jsonb_typeof(value) = 'string' or (jsonb_typeof(value) = 'number' and sql_type is distinct from 'uuid')
    when 'number' then case
      when sql_type in ('numeric', 'real', 'double precision') and value in ('"NaN"', '"Infinity"', '"-Infinity"') then true
      when jsonb_typeof(value) <> 'number' and (jsonb_typeof(value) <> 'string'
        or (value #>> '{}') !~ '^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$') then false
      when sql_type in ('smallint', 'integer', 'bigint') then (value #>> '{}')::numeric = trunc((value #>> '{}')::numeric)
      else true
    end
    when 'boolean' then jsonb_typeof(value) = 'boolean' or value in ('"true"', '"false"')
    when 'date' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^(\s*[-+]?\d|-?infinity$)'
    when 'array' then jsonb_typeof(value) = 'array'
    when 'map' then sql_type is not null or jsonb_typeof(value) = 'object'
    when 'geopoint' then coalesce(jsonb_typeof(value) = 'object'
      and jsonb_typeof(value -> 'latitude') = 'number' and jsonb_typeof(value -> 'longitude') = 'number', false)
    when 'vector' then jsonb_typeof(value) = 'array' and not jsonb_path_exists(value, 'strict $[*] ? (@.type() != "number")')
    when 'binary' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
    else true
  end;

comment on function service_private.fits_type(jsonb, text, text) is
  'Whether a JSON value can be of a property type at all; numbers may be sent as text (and are NaN or infinite so), booleans as '
  '''true'' and ''false''. A whole number may be written 1.0.';

grant execute on function service_private.fits_type(jsonb, text, text) to service_user;
