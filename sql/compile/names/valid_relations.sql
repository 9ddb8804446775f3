create or replace function service_private.valid_relations(collection text, roles text[]) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(r.name order by r.name), '[]'::jsonb) from service.relations r where r.collection = valid_relations.collection
    and exists (select from service.collections c where c.slug = r.target and c.exposed)
    and not exists (select from service_private.link_properties(r) p where p.excluded or not service_private.filterable(p, roles));
end;

comment on function service_private.valid_relations(text, text[]) is
  'The relation names of a collection that an error message may offer to holders of these roles, as a JSON array.';
