create or replace function service.column_pairs(left_alias text, left_columns text[], operators text[], right_alias text, right_columns text[]) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(format('%s.%I %s %s.%I', left_alias, l, o, right_alias, r), ' and ')
  from unnest(left_columns, operators, right_columns) as c (l, o, r);
end;

comment on function service.column_pairs(text, text[], text[], text, text[]) is
  'SQL text that equates two lists of columns by these operators (service.equals): x.a = t.b and x.c = t.d.';

revoke all on function service.column_pairs(text, text[], text[], text, text[]) from public;
