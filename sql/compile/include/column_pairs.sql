create or replace function service_private.column_pairs(left_alias text, left_columns text[], operators text[],
  right_alias text, right_columns text[]) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg(format('%s.%I %s %s.%I', left_alias, l, o, right_alias, r) order by n), '{false}')
  from unnest(left_columns, operators, right_columns) with ordinality c (l, o, r, n);
end;

comment on function service_private.column_pairs(text, text[], text[], text, text[]) is
  'SQL text, as conditions, that equates two lists of columns by these operators (service_private.equals): x.a = t.b, x.c = t.d.';
