-- A relation over a column that is kept out of the API is kept out with it; and one to a collection that is not exposed,
-- which would be read, filtered or sorted by through every collection that leads there.
create or replace function service_private.find_relation(collection text, relation text) returns service.relations
  language plpgsql stable as $$
begin
  return (
    select r
    from service.relations r
    where r.collection = find_relation.collection and r.name = find_relation.relation
      and exists (select from service.collections c where c.slug = r.target and c.exposed)
      and not exists (select from service_private.link_properties(r) p where p.excluded));
end $$;

comment on function service_private.find_relation(text, text) is
  'The relation of a collection by its name, null when there is none that a client may know of.';
