create or replace function service_private.type_in_words(type text, sql_type text) returns text
  language sql immutable parallel safe
  return case type
    when 'string' then case sql_type when 'uuid' then 'a UUID' else 'a text' end
    when 'number' then case when sql_type in ('smallint', 'integer', 'bigint') then 'a whole number' else 'a number' end
    when 'boolean' then 'true or false'
    when 'date' then 'a date (ISO 8601)'
    when 'array' then 'an array'
    when 'map' then 'an object'
    when 'geopoint' then 'an object with latitude and longitude'
    when 'vector' then 'an array of numbers'
    when 'binary' then 'base64 text'
    else 'a ' || type
  end;

comment on function service_private.type_in_words(text, text) is 'A property type as an error message names it.';
