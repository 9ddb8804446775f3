create or replace function service_private.included_relations(collection text, node jsonb, roles text[])
  returns table (name text, options jsonb)
  language plpgsql stable as $$
declare
  relation service.relations;
begin
  for name, options in select i.key, i.value from jsonb_each(node -> 'include') i where i.key <> '*' order by i.key collate "C" loop
    relation := service_private.find_relation(collection, name);
    if relation.name is null then
      perform service.fail(400, 'UNKNOWN_RELATION', format('%s has no relation %s.', collection, name),
        jsonb_build_object('relation', name, 'collection', collection, 'validRelations',
          service_private.valid_relations(collection, roles)));
    end if;
    perform service_private.require_resolved(relation);
    perform service_private.require_relation_readable(relation, roles);
    return next;
  end loop;
  return query
    select r.name, node -> 'include' -> '*' from service.relations r
    where r.collection = included_relations.collection and node -> 'include' ? '*' and not node -> 'include' ? r.name
      and exists (select from service.collections c where c.slug = r.target and c.exposed)
      -- * means what the caller may see; only a name insists.
      and not exists (select from service_private.link_properties(r) p where p.excluded or not service_private.filterable(p, roles))
    order by r.name collate "C";
end $$;

comment on function service_private.included_relations(text, jsonb, text[]) is
  'The relations that a node {include} asks for, with their options; * is spelled out. GW400 UNKNOWN_RELATION {relation, '
  'collection, validRelations}, FIELD_NOT_READABLE; GW500 RELATION_MISCONFIGURED.';
