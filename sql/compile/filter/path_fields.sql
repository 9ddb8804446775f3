create or replace function service_private.path_fields(collection text, roles text[]) returns jsonb
  language sql stable
begin atomic
  select coalesce(jsonb_agg(p.name order by p.position), '[]'::jsonb)
  from service.properties p
  where p.collection = path_fields.collection and not p.excluded and p.sql_type in ('json', 'jsonb') and service_private.unmasked(p, roles);
end;

comment on function service_private.path_fields(text, text[]) is
  'The field names that an error message may offer to holders of these roles where a path leads into a field: those of JSON that they may '
  'read, if not all their parts.';
