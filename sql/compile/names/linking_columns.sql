create or replace function service_private.linking_columns(relation service.relations)
  returns table (schema_name text, table_name text, name text)
  language sql stable
begin atomic
  select relation.junction_schema, relation.junction_table, c.name
  from unnest(relation.junction_source || relation.junction_target
    || array(select p ->> 'columnName' from jsonb_array_elements(coalesce(relation.pivot, '[]')) p)) c (name)
  where relation.kind <> 'via'
  union
  select s.step ->> 'schema', s.step ->> 'table', c.name
  from jsonb_array_elements(relation.via -> 'steps') with ordinality s (step, n)
  cross join lateral (
    select jsonb_array_elements_text(s.step -> 'to')
    union all
    select jsonb_array_elements_text(relation.via -> 'steps' -> s.n::integer -> 'from')
  ) c (name)
  where s.n < jsonb_array_length(relation.via -> 'steps');
end;

comment on function service_private.linking_columns(service.relations) is
  'The columns between the two sides of a relation: of its junction, or of every table that a via relation passes through.';
