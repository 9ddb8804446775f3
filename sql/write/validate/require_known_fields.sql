create or replace function service_private.require_known_fields(served service.collections, sent text[], roles text[]) returns void
  language plpgsql stable as $$
declare
  writable text[];
  unknown text[];
  one_way text[];
begin
  select array_agg(s.field order by s.field) filter (where r.name is null),
    array_agg(s.field order by s.field) filter (where r.kind not in ('hasOne', 'hasMany', 'manyToMany'))
    into unknown, one_way
  from service_private.sent_fields(served, sent) s
  cross join lateral service_private.find_relation(served.slug, s.field) r
  where (s.property).name is null;
  if unknown is not null then
    writable := array(
      select p.name
      from service.properties p
      where p.collection = served.slug and not p.excluded and not p.generated and service_private.readable(p, roles)
        and (p.write_roles is null or p.write_roles && roles or ('admin' = any (roles) and p.write_roles <> '{}'))
      order by p.position);
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS',
      format('%s has no field %s%s.%s It has %s.', served.slug, array_to_string(unknown[1:20], ', '),
        case when cardinality(unknown) > 20 then format(' and %s others', cardinality(unknown) - 20) end,
        case when 'id' = any (unknown) then format(' Its key is %s.', array_to_string(served.key, ', ')) else '' end,
        array_to_string(writable, ', ')),
      service_private.violation_details(served.slug, unknown[1:20], 'unknown', 'There is no field %s.')
        || jsonb_build_object('validFields', writable));
  end if;
  if one_way is not null then
    perform service.fail(400, 'RELATION_NOT_WRITABLE', format('Nothing can be written through %s.', array_to_string(one_way, ', ')),
      jsonb_build_object('collection', served.slug, 'fields', one_way));
  end if;
end $$;

comment on function service_private.require_known_fields(service.collections, text[], text[]) is
  'Nothing, or GW400 VALIDATION_UNKNOWN_FIELDS for names that are no field of the collection, RELATION_NOT_WRITABLE for relations '
  'that lead one way or by several columns. Details {collection, fields}, of unknown names the first twenty, with {violations, messages, '
  'validFields}.';
