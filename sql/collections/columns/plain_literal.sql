-- With standard_conforming_strings, the server's default, a backslash is itself: so the server stores and shows it.
create or replace function service_private.plain_literal(text text) returns text
  language sql immutable parallel safe
  return '''' || replace(text, '''', '''''') || '''';

comment on function service_private.plain_literal(text) is 'A text as a SQL literal without escapes.';
