create or replace function service_private.deletion_stamp(collection text) returns text
  language plpgsql stable as $$
begin
  return (
    select p.column_name
    from service.collections c
    join service.properties p on p.collection = c.slug
      and p.name = case c.definition -> 'softDelete' when 'true' then 'deletedAt' else c.definition #>> '{softDelete,field}' end
    where c.slug = deletion_stamp.collection);
end $$;

comment on function service_private.deletion_stamp(text) is
  'The column that says when a row of the collection was deleted (softDelete in its file); null for a collection whose rows are '
  'really deleted.';
