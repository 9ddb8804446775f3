create or replace function service.rule_predicate(collection text, alias text, rule jsonb, clause text) returns text
  language plpgsql stable as $$
begin
  return service.condition_sql(service.rule_condition(rule, clause), collection, alias);
end $$;

comment on function service.rule_predicate(text, text, jsonb, text) is
  'A security rule as a boolean SQL expression. alias: SQL text of what names the judged row; clause: using or check.';

revoke all on function service.rule_predicate(text, text, jsonb, text) from public;
