create or replace function service_private.pivot_violations(path text, pivot jsonb, link jsonb)
  returns table (field text, code text, message text)
  language plpgsql stable as $$
declare
  unknown text[];
begin
  if pivot is not null and not link ? 'pivot' then
    perform service.fail(400, 'RELATION_HAS_NO_PIVOT', format('Links of %s have no properties of their own.', link ->> 'field'),
      jsonb_build_object('relation', link -> 'field', 'path', path));
  elsif jsonb_typeof(pivot) <> 'object' then
    return query select path, 'object', format('%s must be an object.', path);
    return;
  end if;
  unknown := array(
    select format('%s.%s', path, k) from jsonb_object_keys(pivot) k
    where not exists (select from jsonb_array_elements(link -> 'pivot') s where s ->> 'field' = k) order by k);
  if unknown <> '{}' then
    perform service.fail(400, 'VALIDATION_UNKNOWN_FIELDS', format('There is no %s.', array_to_string(unknown[1:20], ', ')),
      jsonb_build_object('fields', unknown[1:20], 'path', path));
  end if;
  return query
    select j.field_path, j.code, j.message
    from jsonb_array_elements(link -> 'pivot') s (spec)
    cross join lateral service_private.violations(format('%s.%s', path, s.spec ->> 'field'), pivot -> (s.spec ->> 'field'),
      s.spec ->> 'type',
      s.spec ->> 'sqlType', coalesce(s.spec -> 'rules', '{}') || jsonb_strip_nulls(jsonb_build_object(
        'maxLength', s.spec -> 'maxLength'))) j
    where pivot ? (s.spec ->> 'field')
    union all
    select p.path, 'required', format('%s is required.', p.path)
    from jsonb_array_elements(link -> 'pivot') s (spec)
    cross join lateral (select format('%s.%s', pivot_violations.path, s.spec ->> 'field')) p (path)
    where s.spec ? 'required' and coalesce(pivot -> (s.spec ->> 'field'), 'null') = 'null';
end $$;

comment on function service_private.pivot_violations(text, jsonb, jsonb) is
  'Violations of the properties of a link that are sent (null: none are) by the plan of its relation (service_private.link_plan), at this '
  'path; object when they are none. GW400 RELATION_HAS_NO_PIVOT {relation, path}, VALIDATION_UNKNOWN_FIELDS {fields, path}.';
