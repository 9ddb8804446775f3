create or replace function service_private.rule_conditions(sent text, sent_text text, type text, attributes jsonb) returns text[]
  language plpgsql stable as $$
declare
  normalizes constant jsonb := (
    select jsonb_object_agg(r.key, r.value) from jsonb_each(attributes -> 'validation') r
    where type = 'string' and r.key in ('trim', 'lowercase', 'uppercase') and r.value = 'true');
  normalized constant text := case when normalizes is null then sent_text
    else format('service_private.normalized_text(%s, %L)', sent_text, normalizes) end;
begin
  return array(
    select format('service_private.keeps_rule(%L, %L, %s, %s, %L)', type, r.code, sent, normalized, r.bound)
    from service_private.declared_rules('', type, attributes) r
    order by r.code);
end $$;

comment on function service_private.rule_conditions(text, text, text, jsonb) is
  'SQL text, as conditions, of the rules that a property declares (service_private.declared_rules) for a value. Parameters as of '
  'service_private.value_condition.';
