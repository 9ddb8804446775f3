create or replace function service.find_relation(collection text, relation text) returns service.relations
  language sql stable
begin atomic
  select r
  from service.relations r
  where r.collection = find_relation.collection and r.name = find_relation.relation;
end;

comment on function service.find_relation(text, text) is
  'The relation of a collection by its name, null when there is none.';

revoke all on function service.find_relation(text, text) from public;
