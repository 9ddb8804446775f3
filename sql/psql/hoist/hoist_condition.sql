create or replace function service_private.hoist_condition(field text, condition json, inout parameters text[], out hoisted jsonb)
  language plpgsql immutable as $$
declare
  op text := condition ->> 0;
  value json := condition -> 1;
  -- A number with a point or an exponent, in a list one at least (the grammar of the gateway says why).
  is_decimal boolean := exists (
    select from json_array_elements(case json_typeof(value) when 'array' then value else json_build_array(value) end) v
    where json_typeof(v) = 'number' and v::text ~ '[.eE]');
begin
  if op in ('is-null', 'is-not-null') or (json_typeof(value) = 'null' and op in ('==', 'in', '!=', 'not-in')) then
    hoisted := jsonb_build_array(
      case when op in ('==', 'in') then 'is-null' when op in ('!=', 'not-in') then 'is-not-null' else op end, null);
    return;
  end if;
  if json_typeof(value) = 'array' then
    if exists (select from json_array_elements(value) v where json_typeof(v) = 'null') then
      perform service.fail(400, 'INVALID_FILTER_VALUE', format('The list for %s holds null. Test for null on its own.', field),
        jsonb_build_object('field', field, 'dbCode', '22004'));
    end if;
    parameters := parameters || array(select v from json_array_elements_text(value) v)::text;
    hoisted := jsonb_build_array(op, jsonb_build_array(cardinality(parameters)))
      || case when is_decimal then '["decimal"]' else '[]' end::jsonb;
    return;
  end if;
  if json_typeof(value) in ('string', 'number', 'boolean') then
    -- One value is a list of one; to overlap with it is to contain it.
    parameters := parameters || case when op in ('in', 'not-in') then array[condition ->> 1]::text else condition ->> 1 end;
    hoisted := case when op in ('in', 'not-in') then jsonb_build_array(op, jsonb_build_array(cardinality(parameters)))
      else jsonb_build_array(case op when 'array-contains-any' then 'array-contains' else op end, cardinality(parameters)) end
      || case when is_decimal then '["decimal"]' when json_typeof(value) = 'number' and op not in ('in', 'not-in') then '["number"]'
        else '[]' end::jsonb;
    return;
  end if;
  perform service.fail(400, 'INVALID_WHERE', format('The condition on %s is not an operator and a value.', field),
    jsonb_build_object('field', field));
end $$;

comment on function service_private.hoist_condition(text, json, text[]) is
  'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list, with '
  '"number" or "decimal" behind it for JSON numbers. GW400 INVALID_WHERE, INVALID_FILTER_VALUE for a list that holds null.';
