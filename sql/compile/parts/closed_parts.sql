-- Elements of an array have no names of their own, so what is closed is closed in each of them.
create or replace function service_private.closed_parts(attributes jsonb, roles text[], act text) returns jsonb
  language plpgsql immutable as $$
begin
  if not attributes ?| '{properties,of,oneOf}' then
    return null;
  end if;
  return (
    select case
      when count(c.closed) = 0 then null
      when attributes ? 'properties'
        then jsonb_build_object('parts', jsonb_object_agg(p.name, c.closed) filter (where c.closed is not null))
      when attributes ? 'oneOf'
        then (attributes -> 'oneOf') - 'properties' || jsonb_build_object('types', jsonb_object_agg(p.name, c.closed))
      else jsonb_build_object('items', (array_agg(c.closed))[1])
    end
    from (
      select e.key, e.value from jsonb_each(coalesce(attributes -> 'properties', attributes #> '{oneOf,properties}')) e
      union all
      select 'of', attributes -> 'of' where attributes ? 'of'
    ) p (name, part)
    cross join lateral (
      select coalesce(to_jsonb(service_private.part_closed(p.part, roles, act)), service_private.closed_parts(p.part, roles, act))
    ) c (closed));
end $$;

comment on function service_private.closed_parts(jsonb, text[], text) is
  'The parts of a value that are closed to these roles, by its attributes (service_private.value_attributes), null when there are none: of '
  'a map {parts: {name: closed}}, of an array {items: closed}, of blocks {typeField, valueField, types: {type: closed or null}}, where '
  'closed is a result of service_private.part_closed, or such an object for the parts within. act: as there.';
