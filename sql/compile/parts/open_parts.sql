-- The result of service_private.open_expression for values that no compiled statement shows: those in entries of
-- history.
create or replace function service_private.open_parts(value jsonb, closed jsonb) returns jsonb
  language plpgsql immutable as $$
begin
  return case
    when closed is null or closed = 'null' then value
    when closed ?| '{items,types}' and jsonb_typeof(value) = 'array' then (
      select coalesce(jsonb_agg(case
          when closed ? 'items' then service_private.open_parts(i.item, closed -> 'items')
          when closed -> 'types' ? (i.item ->> (closed ->> 'typeField')) then service_private.open_parts(i.item, jsonb_build_object(
            'parts', jsonb_build_object(closed ->> 'valueField', closed -> 'types' -> (i.item ->> (closed ->> 'typeField')))))
        end order by i.n), '[]')
      from jsonb_array_elements(value) with ordinality i (item, n))
    when closed ? 'parts' and jsonb_typeof(value) = 'object' then (
      select coalesce(jsonb_object_agg(p.key, service_private.open_parts(p.value, closed -> 'parts' -> p.key)), '{}')
      from jsonb_each(value) p
      where jsonb_typeof(closed -> 'parts' -> p.key) is distinct from 'string')
  end;
end $$;

comment on function service_private.open_parts(jsonb, jsonb) is
  'A value without what is closed in it (service_private.closed_parts); null when it is not of the form that its definition says.';

grant execute on function service_private.open_parts(jsonb, jsonb) to service_user;
