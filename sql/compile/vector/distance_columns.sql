create or replace function service_private.distance_columns(collection text, alias text, shape jsonb, roles text[]) returns text[]
  language sql stable
  return case when shape ? 'vector' then array[format('%s as "_distance"',
    format('nullif(%s, ''NaN'')', service_private.vector_distance(collection, alias, shape -> 'vector', roles)))] else '{}' end;

comment on function service_private.distance_columns(text, text, jsonb, text[]) is
  'SQL text, as a list, of the column _distance that a vector search adds to a row; null where it is no number (the cosine of a '
  'zero vector).';
