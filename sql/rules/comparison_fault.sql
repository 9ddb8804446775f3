create or replace function service_private.comparison_fault(comparison jsonb, collection text, checked_collection text) returns text
  language plpgsql stable as $$
declare
  type constant text := service_private.comparison_type(comparison, collection, checked_collection);
  family constant text := service_private.type_family(type);
  types constant text[] := array_remove(array(
    select service_private.operand_type(comparison -> side, collection, checked_collection) from unnest('{left,right}'::text[]) side),
      null);
  other constant jsonb := case comparison #>> '{left,kind}' when 'literal' then comparison -> 'right' else comparison -> 'left' end;
  literal constant jsonb := case comparison #>> '{left,kind}' when 'literal' then comparison #> '{left,value}'
    else comparison #> '{right,value}' end;
begin
  if comparison #>> '{left,kind}' = 'literal' and comparison #>> '{right,kind}' = 'literal' then
    return 'compares two literals';
  elsif family is null then
    return format('a %s cannot be compared; say it in raw', type);
  elsif cardinality(types) = 2 and service_private.type_family(types[1]) <> service_private.type_family(types[2]) then
    return format('compares %s with %s', types[1], types[2]);
  elsif literal = 'null' then
    return case
      when comparison ->> 'op' not in ('eq', 'neq') then 'null is compared by eq or neq'
      when other ->> 'kind' in ('authUid', 'authRoles') then format('%s is never null', other ->> 'kind') end;
  elsif literal is not null then
    return service_private.literal_fault(literal, type);
  elsif cardinality(types) = 1 and type like '%[]' then
    return 'a list is compared with a list, one value with one value';
  end if;
  return null;
end $$;

comment on function service_private.comparison_fault(jsonb, text, text) is
  'Why a condition {kind: compare, op, left, right} has no meaning; null when it has one. The columns of its fields are known to be '
  'there.';
