create or replace function service.junction_name(relation service.relations) returns text
  language sql immutable parallel safe
  return format('%I.%I', relation.junction_schema, relation.junction_table);

comment on function service.junction_name(service.relations) is 'SQL text of the junction of a relation.';

revoke all on function service.junction_name(service.relations) from public;
