-- Values travel as text and are typed here, so that a bad one fails when it is bound, with its parameter number.
-- timestamp columns hold UTC: reading the value as timestamptz first honours an offset that the client sent
-- (lane sessions run in UTC).
create or replace function service.value(parameter integer, sql_type text, list boolean default false) returns text
  language sql immutable parallel safe
  return format(
    case sql_type when 'timestamp without time zone' then '$%s::timestamptz%s::timestamp%2$s' else '$%s::' || replace(sql_type, '%', '%%') || '%s' end,
    parameter, case when list then '[]' else '' end);

comment on function service.value(integer, text, boolean) is
  'SQL text of a parameter cast to a column''s type (its array type for a list): $2::integer, $3::text[].';

revoke all on function service.value(integer, text, boolean) from public;
