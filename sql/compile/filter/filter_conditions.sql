create or replace function service_private.filter_conditions(collection text, alias text, node jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
begin
  return array(
      select service_private.condition(collection, alias, w.field, c.condition, roles)
      from jsonb_each(node -> 'where') with ordinality w (field, conditions, n),
        jsonb_array_elements(w.conditions) with ordinality c (condition, m)
      order by w.n, c.m)
    || case when node ? 'logical' then array[format('(%s)', service_private.logical(collection, alias, node -> 'logical', roles))]
      else '{}' end;
end $$;

comment on function service_private.filter_conditions(text, text, jsonb, text[]) is
  'SQL text, as conditions, of what a request or an include node asks of its rows: {where, logical}.';
