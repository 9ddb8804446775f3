create or replace function service_private.rule_predicate(collection text, alias text, rule jsonb, clause text) returns text
  language plpgsql stable as $$
begin
  return service_private.condition_sql(service_private.rule_condition(rule, clause), collection, alias);
end $$;

comment on function service_private.rule_predicate(text, text, jsonb, text) is
  'A security rule as a boolean SQL expression. alias: SQL text of what names the judged row; clause: using or check.';
