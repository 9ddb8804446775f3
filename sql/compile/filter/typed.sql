-- Values travel as text and are typed here, so that a bad one fails when it is bound, with its parameter number.
-- timestamp columns hold UTC: reading the value as timestamptz first honours an offset that the client sent
-- (lane sessions run in UTC).
create or replace function service_private.typed(value text, sql_type text, list boolean default false) returns text
  language plpgsql immutable parallel safe as $$
begin
  return concat(value, '::',
    case when sql_type = 'timestamp without time zone' then case when list then 'timestamptz[]::timestamp' else 'timestamptz::timestamp' end
      else sql_type end,
    case when list then '[]' end);
end $$;

comment on function service_private.typed(text, text, boolean) is
  'SQL text of a value that is text, SQL text too, cast to a column''s type (its array type for a list): i.id::integer.';
