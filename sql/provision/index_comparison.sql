-- Values are written as literals without a type, so that they take the column's.
create or replace function service_private.index_comparison(collection text, comparison jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select format('%I %s', service_private.field_column(index_comparison.collection, comparison ->> 'prop'), concat_ws(' ',
    lower(comparison ->> 'op'),
    case lower(comparison ->> 'op')
      when 'is null' then null
      when 'is not null' then null
      when 'in' then (
        select '(' || string_agg(quote_literal(v), ', ' order by n) || ')'
        from jsonb_array_elements_text(comparison -> 'value') with ordinality e (v, n))
      else quote_literal(comparison ->> 'value')
    end))
  where lower(comparison ->> 'op') in ('=', '!=', '<', '<=', '>', '>=', 'in', 'is null', 'is not null');
end;

comment on function service_private.index_comparison(text, jsonb) is 'One comparison {prop, op, value} of a partial index as SQL.';
