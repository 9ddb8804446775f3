-- A date that is stored as such is read when it is stored; one inside an array or a map only here. A whole number that is not
-- would be rounded. Words such as now are dates to PostgreSQL and not here.
create or replace function service_private.fit_conditions(sent text, sent_text text, type text, sql_type text, is_part boolean)
  returns text[]
  language sql immutable
  return case
    when type = 'number' and sql_type in ('smallint', 'integer', 'bigint')
      then array[format('service_private.keeps_rule(''number'', ''integer'', %s, %s, null)', sent, sent_text)]
    when type = 'date' then array[format('ascii(%s) between 48 and 57', sent_text)]
      || case when is_part then array[format('%s::timestamptz is not null', sent_text)] else '{}' end
    when type in ('string', 'number', 'boolean', 'array', 'map') then '{}'
    else array[format('service_private.fits_type(%s, %L, %L)', sent, type, sql_type)]
  end;

comment on function service_private.fit_conditions(text, text, text, text, boolean) is
  'SQL text, as conditions, of what a value must be to be of a property type, besides of its JSON type. Parameters as of '
  'service_private.value_condition.';
