create or replace function service.rule_conditions(sent text, sent_text text, type text, attributes jsonb) returns text[]
  language plpgsql stable as $$
declare
  normalizes constant jsonb := (
    select jsonb_object_agg(r.key, r.value) from jsonb_each(attributes -> 'validation') r
    where type = 'string' and r.key in ('trim', 'lowercase', 'uppercase') and r.value = 'true');
  normalized constant text := case when normalizes is null then sent_text
    else format('service.normalized_text(%s, %L)', sent_text, normalizes) end;
begin
  return array(
    select format('service.keeps_rule(%L, %L, %s, %s, %L)', type, r.code, sent, normalized, r.bound)
    from service.declared_rules('', type, attributes) r
    order by r.code);
end $$;

comment on function service.rule_conditions(text, text, text, jsonb) is
  'SQL text, as conditions, of the rules that a property declares (service.declared_rules) for a value. Parameters as of '
  'service.value_condition.';

revoke all on function service.rule_conditions(text, text, text, jsonb) from public;
