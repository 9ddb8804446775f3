-- A shown value can be sent back with the same meaning. Dates are ISO 8601 in UTC with milliseconds, or microseconds
-- where the value has them, those before the year 1 with PostgreSQL's BC, as it reads them; infinity and NaN are
-- words, as JSON has no form for them; numbers keep every digit; a composite is an object; other types are
-- PostgreSQL's own text. inet::text would add the length of the net to every address.
create or replace function service_private.scalar_value(expression text, sql_type text) returns text
  language plpgsql stable parallel safe as $$
begin
  return case
    when sql_type in ('timestamp with time zone', 'timestamp without time zone') then service_private.fill($sql$
        case
          when not isfinite(<value>) then <value>::text
          when <in_utc> <> date_trunc('milliseconds', <in_utc>) then to_char(<in_utc>, case
            when <value> < <first_day> then 'YYYY-MM-DD"T"HH24:MI:SS.US"Z BC"'
            else 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
          end)
          else to_char(<in_utc>, case
            when <value> < <first_day> then 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"'
            else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          end)
        end
      $sql$,
      'value', expression,
      'in_utc', case sql_type when 'timestamp with time zone' then format('(%s at time zone ''UTC'')', expression) else expression end,
      'first_day', case sql_type when 'timestamp with time zone' then '''0001-01-01 00:00+00''' else '''0001-01-01''' end)
    when sql_type = 'money' then expression || '::numeric'
    when sql_type = 'bytea' then format('translate(encode(%s, ''base64''), chr(10), '''')', expression)
    when sql_type ~ '(^|\.)(vector|halfvec)$' then expression || '::text::json'
    when sql_type in ('smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'boolean', 'text', 'character varying',
      'bpchar', 'uuid', 'inet', 'date', 'json', 'jsonb') then expression
    when service_private.is_composite(sql_type) then expression
    else expression || '::text'
  end;
end $$;

comment on function service_private.scalar_value(text, text) is
  'SQL text of a value of a type that is no array, as it stands in JSON: UTC dates with milliseconds or microseconds, numbers with '
  'every digit, the words infinity, Infinity and NaN, base64 for bytea, arrays of numbers for vectors, objects for composites, text '
  'for whatever JSON does not know.';
