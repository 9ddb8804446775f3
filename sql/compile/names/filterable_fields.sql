create or replace function service_private.filterable_fields(collection text, roles text[]) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(p.name order by p.position), '[]'::jsonb)
  from service_private.properties_of(filterable_fields.collection) p
  where not p.excluded and service_private.filterable(p, roles);
end;

comment on function service_private.filterable_fields(text, text[]) is
  'The field names that an error message may offer to holders of these roles where rows are found, sorted or counted by a field: '
  'service_private.valid_fields without those that afterRead masks.';
