create or replace function service_private.with_refs(value jsonb, rows jsonb) returns jsonb
  language plpgsql stable as $$
declare
  ref text;
  field text;
begin
  if not service_private.has_refs(value) then
    return value;
  elsif value ? '$ref' and jsonb_typeof(value) = 'object' then
    ref := split_part(value ->> '$ref', '.', 1);
    field := substr(value ->> '$ref', length(ref) + 2);
    if not coalesce(jsonb_typeof(rows -> ref) = 'object' and rows -> ref ? field, false) then
      perform service.fail(400, 'INVALID_BATCH_REF', format('The row of %s has no field %s that this caller may read.', ref, field),
        jsonb_build_object('ref', value -> '$ref', 'fields', array(
          select jsonb_object_keys(case jsonb_typeof(rows -> ref) when 'object' then rows -> ref else '{}' end))));
    end if;
    return rows -> ref -> field;
  elsif jsonb_typeof(value) = 'object' then
    return (select jsonb_object_agg(e.key, service_private.with_refs(e.value, rows)) from jsonb_each(value) e);
  elsif jsonb_typeof(value) = 'array' then
    return (select jsonb_agg(service_private.with_refs(e.value, rows) order by e.n)
      from jsonb_array_elements(value) with ordinality e (value, n));
  end if;
  return value;
end $$;

comment on function service_private.with_refs(jsonb, jsonb) is
  'A value with each {"$ref": "name.field"} in it replaced by that field of the row of that name. GW400 INVALID_BATCH_REF {ref, fields}.';

grant execute on function service_private.with_refs(jsonb, jsonb) to service_user;
