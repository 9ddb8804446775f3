-- Conditions on the caller are in (select …), which PostgreSQL runs once a query, and columns are bare, so that an
-- index serves them. Where no caller has entered, authenticated and registered are unknown, and so are their
-- opposites. A condition unknown to this version is unknown as well, not false: its opposite lets no caller in
-- either.
create or replace function service_private.condition_sql(
  condition jsonb, collection text, alias text, checked_collection text default null, checked_alias text default null) returns text
  language plpgsql stable as $$
declare
  kind constant text := condition ->> 'kind';
begin
  return case kind
    when 'true' then 'true'
    when 'false' then 'false'
    when 'serverContext' then 'false'
    when 'and' then service_private.joined_conditions(condition, collection, alias, checked_collection, checked_alias)
    when 'or' then service_private.joined_conditions(condition, collection, alias, checked_collection, checked_alias)
    when 'not' then format('not (%s)',
      service_private.condition_sql(condition -> 'operand', collection, alias, checked_collection, checked_alias))
    when 'compare' then service_private.comparison_sql(condition, collection, alias, checked_collection, checked_alias)
    when 'rolesOverlap' then service_private.roles_test('&&', condition -> 'roles')
    when 'rolesContain' then service_private.roles_test('@>', condition -> 'roles')
    when 'authenticated' then '(select service.uid() not in (''anonymous'', ''anon''))'
    when 'registered' then '(select service.uid() not in (''anonymous'', ''anon'') and not service.is_anonymous())'
    when 'existsIn' then service_private.exists_sql(condition, collection, alias, checked_collection, checked_alias)
    when 'raw' then coalesce(service_private.rule_sql(collection, alias, condition ->> 'sql'), 'false')
    else 'null::boolean'
  end;
end $$;

comment on function service_private.condition_sql(jsonb, text, text, text, text) is
  'A structured condition as a boolean SQL expression. collection and alias (SQL text) are the row that field means; inside of '
  'existsIn, checked_collection and checked_alias are the row that outerField means, the one that the rule judges.';
