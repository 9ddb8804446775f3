create or replace function service_private.unsearchable_value(definition jsonb, path text[], depth integer) returns text
  language plpgsql immutable as $$
declare
  name constant text := array_to_string(path[1:depth], '.');
  kind constant text := service_private.property_kind(definition);
  part constant text := path[depth + 1];
begin
  return case
    when kind = 'map' and (part is null or not definition ? 'properties' or definition -> 'keyValue' = 'true') then null
    when kind = 'map' and not definition -> 'properties' ? part then format('%s has no part %s', name, part)
    when kind = 'map' then service_private.unsearchable_value(definition #> array['properties', part], path, depth + 1)
    when part is not null then format('%s is no map, so there is no %s in it', name, part)
    when definition ? 'enum' or definition ->> 'columnType' = 'uuid' or definition ->> 'isId' = 'uuid'
      then format('%s is no text; filter by it', name)
    when kind = 'string' or (kind = 'array' and service_private.property_kind(definition -> 'of') = 'string') then null
    else format('%s is of type %s; strings, lists of strings and maps are searched', name, kind)
  end;
end $$;

comment on function service_private.unsearchable_value(jsonb, text[], integer) is
  'Why a declared value is no text that can be searched; depth: how much of the path leads to it.';
