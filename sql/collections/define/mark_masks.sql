create or replace function service.mark_masks() returns void
  language sql volatile
begin atomic
  update service.properties p set attributes = p.attributes || '{"masked": true}'
  from service.collections c
  cross join jsonb_array_elements_text(c.definition #> '{callbacks,afterRead,masks}') m (name)
  where c.slug = p.collection and p.column_name = service.property_column(c.slug, m.name) and not p.attributes ? 'isId';
end;

comment on function service.mark_masks() is 'Marks the properties that afterRead is said to show something else of than is stored.';

revoke all on function service.mark_masks() from public;
