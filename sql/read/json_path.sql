-- Path segments are literals of the compiled text, quoted: they are part of the shape, never of SQL syntax.
create or replace function service.json_path(expression text, path text) returns text
  language sql immutable parallel safe
begin atomic
  select format('(%s #>> array[%s]::text[])', expression, string_agg(quote_literal(segment), ', ' order by n))
  from regexp_split_to_table(path, '->>?') with ordinality as s (segment, n)
  where n > 1;
end;

comment on function service.json_path(text, text) is
  'SQL text of the text leaf under a JSON column, from a field name such as metadata->address->>city (the first segment is the column).';

revoke all on function service.json_path(text, text) from public;
