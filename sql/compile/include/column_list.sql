create or replace function service_private.column_list(alias text, columns text[]) returns text
  language sql immutable parallel safe
begin atomic
  select string_agg(format('%s.%I', alias, c), ', ' order by n) from unnest(columns) with ordinality u (c, n);
end;

comment on function service_private.column_list(text, text[]) is 'SQL text of columns of one alias, separated by commas.';
