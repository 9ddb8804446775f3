create or replace function service_private.unused_relation_name(collection text, wanted text) returns text
  language plpgsql stable as $$
declare
  candidate text := wanted;
  n integer := 1;
begin
  while service_private.is_route(candidate)
    or exists (select from service_private.declared_properties() p where p.collection = unused_relation_name.collection
      and p.name = candidate)
    or exists (select from service_private.declared_relations() r where r.collection = unused_relation_name.collection
      and r.name = candidate)
    or exists (select from service.relations r where r.collection = unused_relation_name.collection and r.name = candidate)
  loop
    n := n + 1;
    candidate := wanted || '_' || n;
  end loop;
  return candidate;
end $$;

comment on function service_private.unused_relation_name(text, text) is
  'A name for a relation that is made: the wanted one, or with a number behind it where a route, a property or another relation has it.';
