-- pgvector builds none over more than 2,000 dimensions.
create or replace function service_private.vector_index(definition jsonb) returns jsonb
  language plpgsql immutable parallel safe as $$
begin
  return case
    when service_private.property_kind(definition) = 'vector' and definition -> 'index' is distinct from 'false'
      and (definition -> 'dimensions')::integer <= 2000
    then '{"method": "hnsw"}'::jsonb || coalesce(definition -> 'index', '{}') || jsonb_build_object('distance',
      case jsonb_typeof(definition #> '{index,distance}') when 'array' then definition #> '{index,distance}'
        else jsonb_build_array(coalesce(definition #> '{index,distance}', '"cosine"')) end)
  end;
end $$;

comment on function service_private.vector_index(jsonb) is 'The index of a declared vector property; null for one without.';
