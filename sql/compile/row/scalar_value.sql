-- Dates are ISO 8601 in UTC with milliseconds, those before the year 1 with PostgreSQL's BC, as it reads them; JSON has no
-- infinity and no NaN, so they are null; numbers keep every digit; what JSON has no form for is PostgreSQL's own text.
-- inet::text would add the length of the net to every address.
create or replace function service.scalar_value(expression text, sql_type text) returns text
  language sql immutable parallel safe
  return case
    when sql_type in ('timestamp with time zone', 'timestamp without time zone') then service.fill($sql$
        case when isfinite(<value>) then to_char(<in_utc>, case
          when <value> < <first_day> then 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"'
          else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
        end) end
      $sql$,
      'value', expression,
      'in_utc', expression || case sql_type when 'timestamp with time zone' then ' at time zone ''UTC''' else '' end,
      'first_day', case sql_type when 'timestamp with time zone' then '''0001-01-01 00:00+00''' else '''0001-01-01''' end)
    when sql_type = 'date' then format('case when isfinite(%1$s) then %1$s end', expression)
    when sql_type in ('numeric', 'real', 'double precision')
      then format('case when %1$s < ''Infinity'' and %1$s > ''-Infinity'' then %1$s end', expression)
    when sql_type = 'money' then expression || '::numeric'
    when sql_type = 'bytea' then format('translate(encode(%s, ''base64''), chr(10), '''')', expression)
    when sql_type ~ '(^|\.)(vector|halfvec)$' then expression || '::text::json'
    when sql_type in ('smallint', 'integer', 'bigint', 'boolean', 'text', 'character varying', 'bpchar', 'uuid', 'inet', 'json',
      'jsonb') then expression
    else expression || '::text'
  end;

comment on function service.scalar_value(text, text) is
  'SQL text of a value of a type that is no array, as it stands in JSON: UTC dates with milliseconds, finite numbers with every '
  'digit, base64 for bytea, arrays of numbers for vectors, text for whatever JSON does not know.';

revoke all on function service.scalar_value(text, text) from public;
