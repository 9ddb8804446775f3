-- Parameters are numbered as the gateway numbers them: where, logical, the limit of an include, its own includes.
create or replace function service_private.hoist_node(request json, nested boolean, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  part record;
  field text;
  key text;
  conditions json;
  condition json;
  hoisted jsonb;
  included json := request -> 'include';
  child json;
begin
  node := '{}';
  if request -> 'where' is not null then
    node := node || jsonb_build_object('where', '{}'::jsonb);
    for field, conditions in select w.key, w.value from json_each(request -> 'where') w loop
      part := service_private.hoist_field(field, parameters);
      key := part.hoisted;
      parameters := part.parameters;
      hoisted := '[]';
      for condition in
        select c.value
        from json_array_elements(case json_typeof(conditions -> 0) when 'array' then conditions else json_build_array(conditions) end) c
      loop
        part := service_private.hoist_condition(field, condition, parameters);
        hoisted := hoisted || jsonb_build_array(part.hoisted);
        parameters := part.parameters;
      end loop;
      node := jsonb_set(node, array['where', key], hoisted);
    end loop;
  end if;
  if request -> 'logical' is not null then
    part := service_private.hoist_logical(request -> 'logical', parameters);
    node := node || jsonb_build_object('logical', part.node);
    parameters := part.parameters;
  end if;
  if not nested then
    part := service_private.hoist_search(request, parameters);
    node := node || part.node;
    parameters := part.parameters;
  end if;
  if nested and request ->> 'limit' is not null then
    parameters := parameters || (request ->> 'limit');
    node := node || jsonb_build_object('limit', cardinality(parameters));
  end if;
  if json_typeof(included) = 'array' then
    included := (select json_object_agg(name, '{}'::json) from json_array_elements_text(included) name);
  end if;
  if included is not null then
    node := node || jsonb_build_object('include', '{}'::jsonb);
    for field, child in select i.key, i.value from json_each(included) i loop
      part := service_private.hoist_node(case json_typeof(child) when 'object' then child else '{}' end, true, parameters);
      parameters := part.parameters;
      node := jsonb_set(node, array['include', field], part.node);
    end loop;
  end if;
  if request -> 'orderBy' is not null then
    node := node || jsonb_build_object('orderBy', (
      select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('field', k.value ->> 'field',
        'direction', coalesce(k.value ->> 'direction', 'asc'), 'nulls', k.value ->> 'nulls')))
      from json_array_elements(request -> 'orderBy') k));
  end if;
  if request -> 'fields' is not null then
    node := node || jsonb_build_object('fields', request -> 'fields');
  end if;
end $$;

comment on function service_private.hoist_node(json, boolean, text[]) is
  'The part of a request that an include node has too ({where, logical, include, orderBy, fields}; nested: limit as well), its '
  'values taken out.';
