create or replace function service_private.is_broken(collection text, property text) returns boolean
  language sql stable
begin atomic
  select coalesce((select c.definition -> 'broken' ? property from service.collections c where c.slug = is_broken.collection), false);
end;

comment on function service_private.is_broken(text, text) is
  'Whether a property is of a wrong form, so that nothing else is to be said of it.';
