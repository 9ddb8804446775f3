create or replace function service_private.project_with(definition jsonb) returns jsonb
  language sql stable
begin atomic
  select jsonb_build_object('collections', jsonb_agg(jsonb_build_object('definition', d.definition) order by d.definition ->> 'slug'))
  from (
    select c.definition from service.collections c
    where c.source = 'file' and c.slug is distinct from project_with.definition ->> 'slug'
    union all
    select project_with.definition) d;
end;

comment on function service_private.project_with(jsonb) is
  'The project (service_private.define_collections) of the collections that there are, with this definition of one of them or of one more.';
