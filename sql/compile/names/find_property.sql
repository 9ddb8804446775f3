-- A client may use the wire name or the raw column name; the wire name wins where they differ.
create or replace function service_private.find_property(collection text, field text) returns service.properties
  language plpgsql stable as $$
begin
  return (
    select p
    from service_private.properties_of(find_property.collection) p
    where find_property.field in (p.name, p.column_name)
      and not p.excluded
    order by p.name = find_property.field desc
    limit 1);
end $$;

comment on function service_private.find_property(text, text) is
  'The property a client means by a field name (wire name, or raw column name), null when there is none it may know of.';
