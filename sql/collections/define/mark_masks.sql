create or replace function service_private.mark_masks() returns void
  language sql volatile
begin atomic
  update service.properties p set attributes = p.attributes || '{"masked": true}'
  from service.collections c
  cross join jsonb_array_elements_text(c.definition #> '{callbacks,afterRead,masks}') m (name)
  where c.slug = p.collection and p.column_name = service_private.property_column(c.slug, m.name) and not p.attributes ? 'isId';
end;

comment on function service_private.mark_masks() is 'Marks the properties that afterRead is said to show something else of than is stored.';
