-- A claim is text, in whichever form the token had it: beside a number it is compared as a number.
create or replace function service_private.comparison_type(comparison jsonb, collection text, checked_collection text) returns text
  language plpgsql stable as $$
begin
  return coalesce(
    service_private.operand_type(comparison -> 'left', collection, checked_collection),
    service_private.operand_type(comparison -> 'right', collection, checked_collection),
    case jsonb_typeof(coalesce(comparison #> '{left,value}', comparison #> '{right,value}'))
      when 'number' then 'numeric' when 'boolean' then 'boolean' when 'array' then 'text[]' else 'text' end);
end $$;

comment on function service_private.comparison_type(jsonb, text, text) is
  'The type of the values that a condition {kind: compare, left, right} compares: that of a field, else of a literal, else text.';
