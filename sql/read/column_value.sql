-- Arrays of types that JSON shows as they are need no work; others are rebuilt element by element.
create or replace function service.column_value(expression text, sql_type text) returns text
  language sql immutable parallel safe
  return case
    when sql_type not like '%[]' then service.scalar_value(expression, sql_type)
    when service.scalar_value('e', rtrim(sql_type, '[]')) in ('e', 'e::text') then expression
    else format('case when %1$s is not null then array(select %2$s from unnest(%1$s) with ordinality u (e, n) order by n) end', expression, service.scalar_value('e', rtrim(sql_type, '[]')))
  end;

comment on function service.column_value(text, text) is 'SQL text of a column as it stands in JSON: service.scalar_value, for arrays element by element.';

revoke all on function service.column_value(text, text) from public;
