create or replace function service_private.mask_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select format('%s.callbacks.afterRead.masks[%s]', c.slug, m.n - 1),
    case when p.name is null then format('%s has no property %s with a column', c.slug, m.name)
      else format('the key stands in every address and cursor, so %s cannot be masked', m.name) end
  from service.collections c
  cross join jsonb_array_elements_text(c.definition #> '{callbacks,afterRead,masks}') with ordinality m (name, n)
  left join service.properties p on p.collection = c.slug and p.column_name = service_private.property_column(c.slug, m.name)
  where c.source = 'file' and (p.name is null or p.attributes ? 'isId') and not service_private.is_broken(c.slug, m.name);
end $$;

comment on function service_private.mask_problems() is 'Names that afterRead cannot mask. An ignored name would leave open what it guards.';
