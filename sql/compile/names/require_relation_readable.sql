create or replace function service_private.require_relation_readable(relation service.relations, roles text[]) returns void
  language plpgsql stable as $$
declare
  property service.properties;
begin
  for property in select * from service_private.link_properties(relation) loop
    perform service_private.require_filterable(property, roles);
  end loop;
end $$;

comment on function service_private.require_relation_readable(service.relations, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE when these roles may not read a column that the relation joins by, on either side.';
