create or replace function service_private.rule_path(definition jsonb, collection text, number bigint) returns text
  language plpgsql immutable parallel safe as $$
begin
  return format('%s[%s]', coalesce(definition ->> 'securityRulesFrom', collection || '.securityRules'), number - 1);
end $$;

comment on function service_private.rule_path(jsonb, text, bigint) is
  'Where a collection''s security rule stands in the files, the first being number 1: posts.securityRules[0].';
