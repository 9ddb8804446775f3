create or replace function service_private.hoist_logical(logical json, inout parameters text[], out node jsonb)
  language plpgsql immutable as $$
declare
  part record;
  name text;
  child json;
begin
  if logical -> 'conditions' is null and logical ->> 'column' is not null then
    part := service_private.hoist_field(logical ->> 'column', parameters);
    name := part.hoisted;
    parameters := part.parameters;
    part := service_private.hoist_condition(logical ->> 'column', json_build_array(logical -> 'operator', logical -> 'value'), parameters);
    parameters := part.parameters;
    node := jsonb_build_object('column', name, 'condition', part.hoisted);
    return;
  end if;
  if not coalesce(logical ->> 'type' in ('and', 'or', 'not')
      and json_typeof(logical -> 'conditions') = 'array' and json_array_length(logical -> 'conditions') > 0, false) then
    perform service.fail(400, 'INVALID_LOGICAL_GROUP', 'A logical group is a type (and, or, not) and conditions.');
  end if;
  node := jsonb_build_object('type', logical ->> 'type', 'conditions', '[]'::jsonb);
  for child in select c.value from json_array_elements(logical -> 'conditions') c loop
    part := service_private.hoist_logical(child, parameters);
    parameters := part.parameters;
    node := jsonb_set(node, '{conditions}', node -> 'conditions' || jsonb_build_array(part.node));
  end loop;
end $$;

comment on function service_private.hoist_logical(json, text[]) is
  'A logical group {type, conditions} of groups and leaves {column, operator, value}, its values taken out. GW400 '
  'INVALID_LOGICAL_GROUP.';
