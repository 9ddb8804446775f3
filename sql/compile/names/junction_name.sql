create or replace function service_private.junction_name(relation service.relations) returns text
  language sql stable
  return case when relation.kind = 'via' then service_private.via_source(relation)
    else format('%I.%I', relation.junction_schema, relation.junction_table) end;

comment on function service_private.junction_name(service.relations) is
  'SQL text of the junction of a relation, as it stands after FROM: a table, of a via relation a query (service_private.via_source).';
