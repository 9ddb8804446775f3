-- One query, which the planner puts in place of the call: the index finds a property. No slug has a slash.
create or replace function service_private.properties_of(collection text) returns setof service.properties
  language sql stable
begin atomic
  select p.* from service.properties p where p.collection = properties_of.collection
  union all
  select e.* from service_private.endpoint_properties(properties_of.collection) e where properties_of.collection like 'functions/%';
end;

comment on function service_private.properties_of(text) is
  'The properties of a collection; of functions/<name> those of the rows that the endpoint of that name returns. A row type that is no '
  'table''s has no key, no relations and no roles.';
