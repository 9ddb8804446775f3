create or replace function service_private.hoist_search(request json, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  verbatim text;
begin
  node := '{}';
  if request -> 'search' is not null then
    parameters := parameters || (request -> 'search' ->> 'text');
    node := node || jsonb_build_object('search',
      (request -> 'search')::jsonb - 'text' || jsonb_build_object('param', cardinality(parameters)));
  end if;
  if request -> 'vector' is not null then
    parameters := parameters || (request -> 'vector' ->> 'vector');
    node := node || jsonb_build_object('vector', jsonb_build_object('property', request -> 'vector' -> 'property',
      'distance', coalesce(request -> 'vector' ->> 'distance', 'cosine'), 'param', cardinality(parameters)));
    if request -> 'vector' ->> 'threshold' is not null then
      parameters := parameters || (request -> 'vector' ->> 'threshold');
      node := jsonb_set(node, '{vector,threshold}', to_jsonb(cardinality(parameters)));
    end if;
  end if;
  foreach verbatim in array array['distinct', 'deleted', 'select', 'groupBy', 'checked'] loop
    if request -> verbatim is not null then
      node := node || jsonb_build_object(verbatim, request -> verbatim);
    end if;
  end loop;
end $$;

comment on function service_private.hoist_search(json, text[]) is
  'The part of a request that only its root has: search and vector with their values taken out; distinct, deleted, select, groupBy '
  'and checked as they are.';
