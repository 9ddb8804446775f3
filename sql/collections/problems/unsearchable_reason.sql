create or replace function service_private.unsearchable_reason(collection text, path text[]) returns text
  language plpgsql stable as $$
declare
  name constant text := path[1];
  declared jsonb;
  property service.properties;
begin
  if service_private.is_broken(collection, name) then
    return null;
  end if;
  select c.definition #> array['properties', path[1]] into declared
  from service.collections c
  where c.slug = unsearchable_reason.collection;
  select p.* into property
  from service.properties p
  where p.collection = unsearchable_reason.collection and p.name = path[1];
  return case
    when declared is null then format('%s has no property %s', collection, name)
    when property.name is null then format('%s has no property %s with a column', collection, name)
    -- The generated column would tell its words to everybody.
    when property.excluded or property.read_roles is not null
      then format('%s is not for everybody to read, so it cannot be searched', name)
    when service_private.reached_part(
      service_private.closed_parts_of(property, '{}', 'read'), service_private.literal_path(path[2:])) <> 'open'
      then format('%s is not for everybody to read, not in all its parts, so it cannot be searched', array_to_string(path, '.'))
    when property.attributes ? 'masked' then format('%s is masked by afterRead, so it cannot be searched', name)
    else service_private.unsearchable_value(declared, path, 1)
  end;
end $$;

comment on function service_private.unsearchable_reason(text, text[]) is
  'Why a path (a property, or one of its parts) is no text that everybody may search; null when it is.';
