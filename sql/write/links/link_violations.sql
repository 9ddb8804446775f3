create or replace function service_private.link_violations(body jsonb, links jsonb) returns table (field text, code text, message text)
  language plpgsql stable as $$
declare
  link jsonb;
  value jsonb;
  element jsonb;
  path text;
begin
  for link in select l from jsonb_array_elements(links) l loop
    value := body -> (link ->> 'field');
    path := link ->> 'field';
    if link ->> 'kind' = 'hasOne' and jsonb_typeof(value) = 'array' then
      return query select path, 'type', format('%s must be an id, or null.', path);
      continue;
    elsif link ->> 'kind' <> 'hasOne' and jsonb_typeof(value) not in ('array', 'null') then
      return query select path, 'type', format('%s must be an array of ids.', path);
      continue;
    end if;
    for element, path in
      select e.item, case link ->> 'kind' when 'hasOne' then path else format('%s[%s]', link ->> 'field', e.n - 1) end
      from jsonb_array_elements(service_private.sent_elements(value, link -> 'key')) with ordinality e (item, n)
    loop
      if not element ? 'id' or not service_private.is_readable_id(element ->> 'id', link -> 'keyTypes') then
        return query select path, 'type', format('%s must be an id.', path);
      end if;
      continue when not element ? 'pivot' and not link ? 'pivot';
      return query select v.* from service_private.pivot_violations(format('%s._pivot', path), element -> 'pivot', link) v;
    end loop;
  end loop;
end $$;

comment on function service_private.link_violations(jsonb, jsonb) is
  'Violations of the links that a body sets by these plans (service_private.link_plan), by path (tags[0], tags[0]._pivot.role): code type, '
  'required, or that of service_private.declared_rules. Errors as service_private.pivot_violations.';
