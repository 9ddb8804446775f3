create or replace function service_private.pivot_columns(relation service.relations, prefix text)
  returns table (n bigint, name text, column_name text, sql_type text, alias text)
  language sql immutable
begin atomic
  select p.n, p.pivot ->> 'name', p.pivot ->> 'columnName', p.pivot ->> 'sqlType', prefix || 'pivot' || p.n
  from jsonb_array_elements(case jsonb_typeof(relation.pivot) when 'array' then relation.pivot else '[]' end) with ordinality p (pivot, n);
end;

comment on function service_private.pivot_columns(service.relations, text) is
  'The columns that a junction has of its own, with a name for each beside the columns of the target.';
