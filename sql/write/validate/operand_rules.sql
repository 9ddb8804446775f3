-- A stored item may break the rules of today and can still be pulled. From a list of lists only lists can be pulled.
-- Parts of a merged object may be left out; service_private.operation_bounds checks those that are null.
create or replace function service_private.operand_rules(rules jsonb, operation text) returns jsonb
  language plpgsql immutable as $$
begin
  return nullif(jsonb_strip_nulls(case operation
    when '$inc' then case when rules #> '{validation,integer}' = 'true' then '{"validation": {"integer": true}}'::jsonb end
    when '$push' then jsonb_build_object('of', rules -> 'of', 'oneOf', rules -> 'oneOf')
    when '$pull' then case when rules #> '{of,type}' = '"array"' then '{"of": {"type": "array"}}'::jsonb end
    when '$merge' then jsonb_build_object('properties', (
      select jsonb_object_agg(p.key, p.value #- '{validation,required}') from jsonb_each(rules -> 'properties') p))
  end), '{}');
end $$;

comment on function service_private.operand_rules(jsonb, text) is
  'The rules of a property (service_private.value_rules) that apply to an operand; null when there are none.';
