create or replace function service_private.normal_search(search jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select '{"language": "simple", "mode": "fts", "unaccent": false, "fuzzy": false, "fuzzyThreshold": 0.3, "column": "search_vector"}'::jsonb
    || search || jsonb_build_object('fields', jsonb_agg(
      '{"weight": "B"}'::jsonb || case jsonb_typeof(f.field) when 'object' then f.field else jsonb_build_object('path', f.field) end
      order by f.n))
  from jsonb_array_elements(search -> 'fields') with ordinality f (field, n);
end;

comment on function service_private.normal_search(jsonb) is 'A search block with what a definition may leave out.';
