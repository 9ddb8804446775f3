create or replace function service_private.is_default(value jsonb, kind text, sql_type text) returns boolean
  language plpgsql stable as $$
declare
  text constant text := value #>> '{}';
  json_type constant text := jsonb_typeof(value);
begin
  return case kind
    when 'string' then json_type = 'string' and (sql_type <> 'uuid' or text ~* '^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$')
    when 'number' then json_type = 'number'
      and (sql_type in ('numeric', 'real', 'double precision') or text::numeric = trunc(text::numeric))
    when 'boolean' then json_type = 'boolean'
    when 'date' then json_type = 'string' and service_private.fits_type(value, 'date', sql_type)
      and service_private.is_readable_date(text, case when sql_type like 'time %' then sql_type end)
    when 'array' then json_type = 'array' and case sql_type
      when 'text[]' then not value @? 'strict $[*] ? (@.type() != "string")'
      when 'integer[]' then not value @? 'strict $[*] ? (@.type() != "number" || @ != @.floor())'
      when 'numeric[]' then not value @? 'strict $[*] ? (@.type() != "number")'
      when 'boolean[]' then not value @? 'strict $[*] ? (@.type() != "boolean")'
      else true end
    else service_private.fits_type(value, kind, null) and json_type = 'object'
  end;
end $$;

comment on function service_private.is_default(jsonb, text, text) is 
  'Whether a declared default can be a value of its property''s type and column.';
