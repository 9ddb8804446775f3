create or replace function service.vector_predicate(collection text, alias text, vector jsonb, roles text[]) returns text
  language sql stable
  return format(case when vector ? 'threshold' then ' and %s < $%s::double precision' else ' and coalesce(%s, 0) is not null' end,
    service.vector_distance(collection, alias, vector, roles), vector ->> 'threshold');

comment on function service.vector_predicate(text, text, jsonb, text[]) is
  'SQL text (beginning with and) that holds rows to those nearer than the threshold; without one it holds all, and still reads the vector, so that a wrong one is refused.';

revoke all on function service.vector_predicate(text, text, jsonb, text[]) from public;
