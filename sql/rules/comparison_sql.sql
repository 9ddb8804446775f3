-- The side without a column takes the column's type: a literal by itself, what comes with the request by service.try_cast.
create or replace function service_private.comparison_sql(
  comparison jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text
  language plpgsql stable as $$
declare
  type constant text := service_private.comparison_type(comparison, collection, checked_collection);
  sides constant text[] := array(
    select service_private.operand_sql(comparison -> side, type, collection, alias, checked_collection, checked_alias)
    from unnest(case when comparison #> '{left,value}' = 'null' then '{right,left}' else '{left,right}'::text[] end) side);
begin
  if 'null' in (comparison #> '{left,value}', comparison #> '{right,value}') then
    return sides[1] || case comparison ->> 'op' when 'eq' then ' is null' when 'neq' then ' is not null' end;
  end if;
  return concat_ws(' ', sides[1], case comparison ->> 'op'
    when 'eq' then '=' when 'neq' then '<>' when 'lt' then '<' when 'lte' then '<=' when 'gt' then '>' when 'gte' then '>=' end, sides[2]);
end $$;

comment on function service_private.comparison_sql(jsonb, text, text, text, text) is
  'A condition {kind: compare, op, left, right} as SQL; the rest as service_private.condition_sql.';
