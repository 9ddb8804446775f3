create or replace function service_private.require_path_readable(path jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  reached text := path ->> 0;
  relation service.relations;
begin
  for i in 2 .. jsonb_array_length(path) - 1 by 2 loop
    relation := service_private.find_relation(reached, path ->> i);
    perform service_private.require_resolved(relation);
    perform service_private.require_relation_readable(relation, roles);
    reached := relation.target;
  end loop;
end $$;

comment on function service_private.require_path_readable(jsonb, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE when a nested path [slug, id, relation, …] (service_private.path_collection has seen that it is '
  'one) follows a relation that these roles may not; GW500 RELATION_MISCONFIGURED.';
