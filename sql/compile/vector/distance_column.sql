create or replace function service.distance_column(collection text, alias text, shape jsonb, roles text[]) returns text
  language sql stable
  return case when shape ? 'vector' then format(', %s as "_distance"',
    service.scalar_value(service.vector_distance(collection, alias, shape -> 'vector', roles), 'double precision')) else '' end;

comment on function service.distance_column(text, text, jsonb, text[]) is 'SQL text of the column _distance that a vector search adds to a row, beginning with a comma; null where it is no number (the cosine of a zero vector).';

revoke all on function service.distance_column(text, text, jsonb, text[]) from public;
