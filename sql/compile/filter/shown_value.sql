-- In the form in which rows show such a value, and service_private.value does not read it.
create or replace function service_private.shown_value(parameter integer, sql_type text, list boolean, field text) returns text
  language sql stable
  return format(case when list then 'array(select %2$s from unnest($%1$s::text[]) i)' else '%2$s' end, parameter,
    format(case sql_type when 'bytea' then 'service_private.bytes(%1$s, %3$L)' else 'service_private.composite(%2$s, null::%4$s, %3$L)' end,
      case when list then 'i' else format('$%s::text', parameter) end,
      case when list then 'i::jsonb' else format('$%s::jsonb', parameter) end,
      field, sql_type));

comment on function service_private.shown_value(integer, text, boolean, text) is
  'SQL text of a parameter, or a list of them, that holds bytes in base64 or composites as JSON objects. field: for the refusal.';
