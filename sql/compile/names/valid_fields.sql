create or replace function service_private.valid_fields(collection text, roles text[]) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(p.name order by p.position), '[]'::jsonb)
  from service_private.properties_of(valid_fields.collection) p
  where not p.excluded and service_private.readable(p, roles);
end;

comment on function service_private.valid_fields(text, text[]) is
  'The field names that an error message may offer to holders of these roles for an answer, as a JSON array in the order of the '
  'columns.';
