create or replace function service_private.vector_conditions(collection text, alias text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  vector jsonb := shape -> 'vector';
  distance text;
begin
  if vector is null then
    return '{}';
  end if;
  distance := service_private.vector_distance(collection, alias, vector, roles);
  return array[case when vector ? 'threshold' then format('%s < $%s::double precision', distance, vector ->> 'threshold')
    else format('coalesce(%s, 0) is not null', distance) end];
end $$;

comment on function service_private.vector_conditions(text, text, jsonb, text[]) is
  'SQL text, as conditions, that holds rows to those nearer than the threshold of a vector search; without one it holds all, and '
  'still reads the vector, so that a wrong one is refused.';
