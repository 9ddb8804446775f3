-- What JSON can tell of a value before the database reads it as the column's type.
create or replace function service.fits_type(value jsonb, type text, sql_type text) returns boolean
  language sql stable
  return case type
    when 'string' then jsonb_typeof(value) = 'string' or (jsonb_typeof(value) = 'number' and sql_type is distinct from 'uuid')
    when 'number' then jsonb_typeof(value) = 'number' or (jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$')
    when 'boolean' then jsonb_typeof(value) = 'boolean' or value in ('"true"', '"false"')
    when 'date' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^\s*[-+]?\d'
    when 'array' then jsonb_typeof(value) = 'array'
    when 'map' then sql_type is not null or jsonb_typeof(value) = 'object'
    when 'geopoint' then jsonb_typeof(value) = 'object' and jsonb_typeof(value -> 'latitude') = 'number' and jsonb_typeof(value -> 'longitude') = 'number'
    when 'vector' then jsonb_typeof(value) = 'array' and not exists (select from jsonb_array_elements(value) e where jsonb_typeof(e) <> 'number')
    when 'binary' then jsonb_typeof(value) = 'string' and (value #>> '{}') ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
    else true
  end;

comment on function service.fits_type(jsonb, text, text) is 'Whether a JSON value can be of a property type at all; numbers may be sent as text, booleans as ''true'' and ''false''.';

revoke all on function service.fits_type(jsonb, text, text) from public;
