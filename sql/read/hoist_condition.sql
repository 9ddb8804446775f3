create or replace function service.hoist_condition(condition json, inout parameters text[], out hoisted jsonb)
  language plpgsql immutable as $$
declare
  op text := condition ->> 0;
  value json := condition -> 1;
begin
  if op in ('is-null', 'is-not-null') or (json_typeof(value) = 'null' and op in ('==', 'in', '!=', 'not-in')) then
    hoisted := jsonb_build_array(case when op in ('==', 'in') then 'is-null' when op in ('!=', 'not-in') then 'is-not-null' else op end, null);
    return;
  end if;
  if json_typeof(value) = 'array' then
    parameters := parameters || array(select v from json_array_elements_text(value) v)::text;
    hoisted := jsonb_build_array(op, jsonb_build_array(cardinality(parameters) + 1));
    return;
  end if;
  parameters := parameters || (condition ->> 1);
  hoisted := jsonb_build_array(op, cardinality(parameters) + 1);
  if json_typeof(value) = 'number' then
    hoisted := hoisted || '["number"]';
  end if;
end $$;

comment on function service.hoist_condition(json, text[]) is 'One condition [operator, value] with its value taken out: [operator, parameter number], [operator, [number]] for a list.';

revoke all on function service.hoist_condition(json, text[]) from public;
