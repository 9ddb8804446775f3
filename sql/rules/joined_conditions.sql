create or replace function service_private.joined_conditions(
  condition jsonb, collection text, alias text, checked_collection text, checked_alias text) returns text
  language plpgsql stable as $$
declare
  kind constant text := condition ->> 'kind';
  -- The neutral element: and true, or false.
  idle constant text := case kind when 'and' then 'true' else 'false' end;
  parts constant text[] := array_remove(array(
    select case when o.operand ->> 'kind' in ('and', 'or', 'raw') and p.part <> idle then '(' || p.part || ')' else p.part end
    from jsonb_array_elements(condition -> 'operands') with ordinality o (operand, n)
    cross join lateral (
      select service_private.condition_sql(o.operand, collection, alias, checked_collection, checked_alias) as part offset 0) p
    order by o.n), idle);
begin
  return case when parts = '{}' then idle else array_to_string(parts, ' ' || kind || ' ') end;
end $$;

comment on function service_private.joined_conditions(jsonb, text, text, text, text) is
  'A condition {kind: and or or, operands} as SQL; the rest as service_private.condition_sql.';
