create or replace function service.predicate(collection text, alias text, node jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  parts text[];
begin
  select array_agg(service.condition(collection, alias, field, condition, roles) order by n, m)
    into parts
  from jsonb_each(node -> 'where') with ordinality as w (field, conditions, n),
    jsonb_array_elements(conditions) with ordinality as c (condition, m);
  if node ? 'logical' then
    parts := parts || format('(%s)', service.logical(collection, alias, node -> 'logical', roles));
  end if;
  return ' and ' || nullif(array_to_string(parts, ' and '), '');
end $$;

comment on function service.predicate(text, text, jsonb, text[]) is
  'SQL text of everything that narrows a request or an include node ({where, logical}), beginning with and; null when nothing does.';

revoke all on function service.predicate(text, text, jsonb, text[]) from public;
