create or replace function service_private.require_open_path(property service.properties, path text[], roles text[]) returns text
  language plpgsql stable as $$
declare
  reached constant text := service_private.reached_part(service_private.closed_parts_of(property, roles, 'read'), path);
begin
  if reached in ('closed', 'holds') then
    property.name := array_to_string(property.name || array(
      select substr(s.segment, 2) from unnest(path) with ordinality s (segment, n) where s.segment like '.%' order by s.n), '.');
    perform service_private.refuse_reading(property, format(
      case reached when 'closed' then 'Field %s of %s cannot be read by this caller.'
        else 'Not all of %s of %s can be read by this caller, so nothing but its other parts can be asked for.' end,
      property.name, property.collection), 'Reading it needs another role.');
  end if;
  return reached;
end $$;

comment on function service_private.require_open_path(service.properties, text[], text[]) is
  'The verdict on a path into a property for these roles (service_private.reached_part); GW400 FIELD_NOT_READABLE for closed and holds.';
