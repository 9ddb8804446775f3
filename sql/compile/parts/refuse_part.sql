-- Called where a name is no field, for the spellings that could lead to a part.
create or replace function service_private.refuse_part(collection text, field text, roles text[]) returns void
  language plpgsql stable as $$
declare
  names constant text[] := regexp_split_to_array(field, '\.|->>?');
  property constant service.properties := service_private.find_property(collection, names[1]);
begin
  if property.name is not null and cardinality(names) > 1 then
    perform service_private.require_readable(property, roles);
    perform service_private.require_open_path(property, service_private.literal_path(names[2:]), roles);
  end if;
end $$;

comment on function service_private.refuse_part(text, text, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE when a name (file.secret) leads to a part of a field that these roles may not read.';
