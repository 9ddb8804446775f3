-- Which rows belong together says what stands in the columns of both sides.
create or replace function service_private.link_properties(relation service.relations) returns setof service.properties
  language plpgsql stable as $$
begin
  return query
    select p.* from service.properties p where p.collection = relation.collection and p.column_name = any (relation.local_columns)
    union all
    select p.* from service.properties p where p.collection = relation.target and p.column_name = any (relation.target_columns)
    union all
    select p.*
    from service_private.linking_columns(relation) l
    join service.collections c on c.schema_name = l.schema_name and c.table_name = l.table_name
    join service.properties p on p.collection = c.slug and p.column_name = l.name
    where relation.kind = 'via';
end $$;

comment on function service_private.link_properties(service.relations) is
  'The properties of the columns that a relation joins its two collections by, this side first, and of those that it passes through: '
  'who follows it learns their values.';
