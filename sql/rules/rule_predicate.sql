-- What compiles to nothing is false: a form this version does not know grants nothing, and as a restriction lets nobody pass.
create or replace function service.rule_predicate(collection text, alias text, rule jsonb, clause text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  predicate text;
  role_test text;
begin
  predicate := case
    when rule ? 'condition' then null
    when rule ? 'ownerField' then
      '(' || alias || '.' || quote_ident(service.field_column(rule_predicate.collection, rule ->> 'ownerField'))
        || ')::text = (select service.uid())'
    when rule ->> 'access' = 'public' then 'true'
    when rule ? 'using' or rule ? 'withCheck' then service.rule_sql(rule_predicate.collection, alias,
      case clause when 'check' then coalesce(rule ->> 'withCheck', rule ->> 'using') else rule ->> 'using' end)
    when not rule ? 'access' and rule ? 'roles' then 'true'
  end;
  if rule ? 'roles' then
    role_test := format('(select string_to_array(service.roles(), '','') && %L::text[])',
      array(select jsonb_array_elements_text(rule -> 'roles')));
  end if;
  return case
    when predicate is null then 'false'
    when role_test is null then predicate
    when predicate = 'true' then role_test
    else role_test || ' and (' || predicate || ')'
  end;
end $$;

comment on function service.rule_predicate(text, text, jsonb, text) is
  'A security rule as a boolean SQL expression. alias: SQL text of what names the judged row; clause: using or check.';

revoke all on function service.rule_predicate(text, text, jsonb, text) from public;
