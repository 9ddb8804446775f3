-- sum and avg are numbers whatever the column's precision; min and max look like the column does.
create or replace function service_private.aggregate_columns(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
begin
  return array(
    select format(case a.value ->> 'fn' when 'avg' then 'trim_scale(%s) as %I' else '%s as %I' end,
      service_private.column_value(v.expression, v.sql_type), service_private.aggregate_alias(a.value))
    from jsonb_array_elements(shape -> 'select') with ordinality a (value, n)
    cross join lateral service_private.aggregate_value(collection, a.value, roles) v
    order by a.n);
end $$;

comment on function service_private.aggregate_columns(text, jsonb, text[]) is
  'SQL text, as a list, of the aggregates of a request under their names. GW400 as service_private.aggregate_value.';
