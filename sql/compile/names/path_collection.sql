create or replace function service_private.path_collection(path jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  reached text := path ->> 0;
  relation service.relations;
begin
  if not exists (select from service.collections c where c.slug = reached and c.exposed) then
    perform service.fail(404, 'NOT_FOUND', 'No such collection.');
  end if;
  for i in 2 .. jsonb_array_length(path) - 1 by 2 loop
    relation := service_private.find_relation(reached, path ->> i);
    if relation.name is null then
      perform service.fail(404, 'UNKNOWN_RELATION', format('%s has no relation %s.', reached, path ->> i),
        jsonb_build_object('relation', path ->> i, 'collection', reached, 'validRelations',
          service_private.valid_relations(reached, roles)));
    end if;
    reached := relation.target;
  end loop;
  return reached;
end $$;

comment on function service_private.path_collection(jsonb, text[]) is
  'The collection that a path [slug, id, relation, …] ends in. GW404 NOT_FOUND for an unknown slug, GW404 '
  'UNKNOWN_RELATION {relation, collection, validRelations} for a relation that its parent does not have.';
