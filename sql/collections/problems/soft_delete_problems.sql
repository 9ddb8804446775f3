-- The stamp is a column that is empty while the row is there.
create or replace function service_private.soft_delete_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with stamp as (
    select c.slug, case jsonb_typeof(c.definition -> 'softDelete') when 'object' then c.definition #>> '{softDelete,field}'
      else 'deletedAt' end as field
    from service.collections c
    where c.source = 'file' and c.definition -> 'softDelete' <> 'false'
  )
  select s.slug || '.softDelete', case
    when p.type is distinct from 'date' then format('needs a date property %s', s.field)
    when p.not_null then format('%s is required, but a row that is not deleted has none', s.field)
    else format('%s must be empty in a new row: it may have no default', s.field) end
  from stamp s
  left join service.properties p on p.collection = s.slug and p.name = s.field
  where p.type is distinct from 'date' or p.not_null or p.generated or p.attributes #> '{column,default}' <> 'null';
end $$;

comment on function service_private.soft_delete_problems() is 'Problems of the properties that mark a row as deleted.';
