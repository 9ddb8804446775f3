create or replace function service.require_known_fields(served service.collections, body jsonb, roles text[]) returns void
  language plpgsql stable as $$
declare
  to_many text[];
  unknown text[];
begin
  select array_agg(b order by b) filter (where r.kind <> 'belongsTo'), array_agg(b order by b) filter (where r.name is null)
    into to_many, unknown
  from jsonb_object_keys(body) b
  left join service.relations r on r.collection = served.slug and r.name = b
  where not exists (select from service.properties p where p.collection = served.slug and b in (p.name, p.column_name));
  if unknown is not null and served.strict_writes then
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS',
      format('%s has no field %s. It has %s.', served.slug, array_to_string(unknown, ', '), array_to_string(array(select jsonb_array_elements_text(service.valid_fields(served.slug, roles))), ', ')),
      jsonb_build_object('collection', served.slug, 'fields', unknown));
  end if;
  if to_many is not null then
    perform service.fail(501, 'NOT_IMPLEMENTED', 'Writing related rows inside a body is not available yet.', jsonb_build_object('collection', served.slug, 'fields', to_many));
  end if;
end $$;

comment on function service.require_known_fields(service.collections, jsonb, text[]) is
  'Nothing, or GW400 VALIDATION_UNKNOWN_FIELDS {collection, fields} for names that are no field of the collection.';

revoke all on function service.require_known_fields(service.collections, jsonb, text[]) from public;
