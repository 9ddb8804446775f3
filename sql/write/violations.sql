-- The rules of one value. null is exempt: required has its own test. Numeric text is judged as a number.
create or replace function service.violations(field text, value jsonb, type text, sql_type text, attributes jsonb)
  returns table (field_path text, code text, message text)
  language plpgsql stable as $$
declare
  rules jsonb := coalesce(attributes -> 'validation', '{}');
  text text := value #>> '{}';
begin
  if value = 'null' then
    return;
  end if;
  if not service.fits_type(value, type, sql_type) then
    return query select violations.field, 'type', format('%s must be %s.', violations.field, service.type_in_words(type, sql_type));
    return;
  end if;
  if attributes ? 'enum' and not attributes -> 'enum' @> jsonb_build_array(value) then
    return query select violations.field, 'enum', format('%s must be one of %s.', violations.field, (select string_agg(e, ', ') from jsonb_array_elements_text(attributes -> 'enum') e));
  end if;
  return query
    select violations.field, r.code, coalesce(case r.code when 'pattern' then rules ->> 'matchesMessage' end, r.message)
    from service.broken_rules(violations.field, value, type, case when type = 'string' then service.normalized_text(text, rules) else text end,
      rules || jsonb_strip_nulls(jsonb_build_object('email', attributes -> 'email', 'url', attributes -> 'url', 'max', coalesce(rules -> 'max', attributes -> 'maxLength')))) r;
  if type = 'array' and attributes ? 'of' then
    return query
      select v.* from jsonb_array_elements(value) with ordinality e (item, n),
        service.violations(format('%s[%s]', violations.field, n - 1), item, attributes -> 'of' ->> 'type', null, attributes -> 'of') v;
  elsif type = 'map' and attributes ? 'properties' and jsonb_typeof(value) = 'object' then
    return query
      select v.* from jsonb_each(attributes -> 'properties') p,
        service.violations(violations.field || '.' || p.key, coalesce(value -> p.key, 'null'), p.value ->> 'type', null, p.value) v;
  end if;
end $$;

comment on function service.violations(text, jsonb, text, text, jsonb) is
  'The rules of its property that a sent value breaks, elements of arrays and parts of maps included, by path (tags[2], address.zip): code type, enum, or that of service.broken_rules.';

revoke all on function service.violations(text, jsonb, text, text, jsonb) from public;
