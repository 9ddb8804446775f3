create or replace function service_private.closed_sent(field text, value jsonb, closed jsonb) returns table (path text, because text)
  language plpgsql immutable as $$
begin
  if jsonb_typeof(closed) = 'string' then
    return query select field, closed #>> '{}';
  elsif closed ? 'parts' and jsonb_typeof(value) = 'object' then
    return query
      select s.*
      from jsonb_each(closed -> 'parts') p (name, within)
      cross join lateral service_private.closed_sent(format('%s.%s', field, p.name), value -> p.name, p.within) s
      where value ? p.name;
  elsif closed ?| '{items,types}' and jsonb_typeof(value) = 'array' then
    return query
      select s.*
      from jsonb_array_elements(value) with ordinality i (item, n)
      cross join lateral service_private.closed_sent(format('%s[%s]', field, i.n - 1), i.item,
        case when closed ? 'items' then closed -> 'items' else jsonb_build_object('parts', jsonb_strip_nulls(jsonb_build_object(
          closed ->> 'valueField', closed -> 'types' -> (i.item ->> (closed ->> 'typeField'))))) end) s;
  end if;
end $$;

comment on function service_private.closed_sent(text, jsonb, jsonb) is
  'Those parts of a sent value, by path, that are closed to the caller (service_private.closed_parts, of act write), and why.';

grant execute on function service_private.closed_sent(text, jsonb, jsonb) to service_user;
