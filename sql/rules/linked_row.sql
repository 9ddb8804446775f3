create or replace function service_private.linked_row(
  linked service.collections, alias text, columns text[], junction text, junction_columns text[]) returns text
  language sql immutable parallel safe
begin atomic
  select format('from %I.%I %I where %s', linked.schema_name, linked.table_name, alias,
    string_agg(format('%I.%I = %I.%I', alias, l.name, junction, l.link), ' and ' order by l.n))
  from unnest(columns, junction_columns) with ordinality l (name, link, n);
end;

comment on function service_private.linked_row(service.collections, text, text[], text, text[]) is
  'SQL text, from FROM on, that finds the row of a collection to which a row of a junction leads.';
